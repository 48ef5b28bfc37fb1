// The pages in the order in which they are named.

import { page as agents } from "./pages/agents.js";
import { page as ask } from "./pages/ask.js";
import { page as entities } from "./pages/entities.js";
import { page as graph } from "./pages/graph.js";
import { page as health } from "./pages/health.js";
import { page as inbox } from "./pages/inbox.js";
import { page as jobs } from "./pages/jobs.js";
import { page as knows } from "./pages/knows.js";
import { page as notes } from "./pages/notes.js";
import { page as overview } from "./pages/overview.js";
import { page as remember } from "./pages/remember.js";
import { page as settings } from "./pages/settings.js";
import { page as time } from "./pages/time.js";

export const PAGES = [
  overview,
  ask,
  remember,
  notes,
  graph,
  entities,
  knows,
  inbox,
  time,
  agents,
  jobs,
  health,
  settings,
];
