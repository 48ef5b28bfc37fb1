// The pages in the order in which they are named.

import { page as ask } from "./pages/ask.js";
import { page as notes } from "./pages/notes.js";
import { page as overview } from "./pages/overview.js";

export const PAGES = [overview, ask, notes];
