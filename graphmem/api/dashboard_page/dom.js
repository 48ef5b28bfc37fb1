// Elements made of data. Strings become text nodes only: there is no way to hand markup in.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "path", "circle", "line", "polyline", "rect", "text", "g", "title"]);

/**
 * An element: `h("a.big", { href: "#/ask", onclick: go }, "Ask", icon)`.
 * Functions listen, `css` sets custom properties, `true` is an empty attribute, and what is null,
 * undefined or false is left out.
 */
export function h(name, given = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made =
    DRAWN.has(tag) && tag !== "title"
      ? document.createElementNS(SVG, tag)
      : document.createElement(tag);
  if (classes.length) made.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(given ?? {})) set(made, key, value);
  add(made, children);
  return made;
}

function set(made, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") made.addEventListener(key.slice(2), value);
  else if (key === "css") Object.entries(value).forEach(([k, v]) => made.style.setProperty(k, v));
  else if (key === "value" || key === "checked" || key === "indeterminate") made[key] = value;
  else made.setAttribute(key, value === true ? "" : String(value));
}

function add(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : String(child));
  }
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** The element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Whether keys that are pressed now are text for a field. */
export function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
