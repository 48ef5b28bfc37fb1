// A picture as a file: SVG with its looks written into it, or PNG drawn from that.

import { download } from "../export.js";

const LOOKS = ["fill", "stroke", "stroke-width", "font-size", "font-family", "font-weight"];
const SHARP = 2; // dots of the PNG for one of the screen

/** Save a picture as SVG, which looks the same without a style sheet. */
export function saveSvg(name, picture) {
  const text = new XMLSerializer().serializeToString(dressed(picture));
  download(`${name}.svg`, [text], "image/svg+xml");
}

function dressed(picture) {
  const copy = picture.cloneNode(true);
  const [, , width, height] = picture.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const shown = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((each, place) => {
    const style = getComputedStyle(shown[place]);
    for (const look of LOOKS) each.setAttribute(look, style.getPropertyValue(look));
  });
  return copy;
}

/** Save a picture as PNG. It is drawn line by line: the page may load no picture made of data. */
export async function savePng(name, picture) {
  const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: width * SHARP, height: height * SHARP });
  const pen = canvas.getContext("2d");
  pen.scale(SHARP, SHARP);
  pen.fillStyle = getComputedStyle(picture).backgroundColor;
  pen.fillRect(0, 0, width, height);
  for (const each of picture.querySelectorAll("line, circle, rect, path, text")) draw(pen, each);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  download(`${name}.png`, [blob], "image/png");
}

function draw(pen, element) {
  const style = getComputedStyle(element);
  const [, x = 0, y = 0] =
    /translate\(([\d.-]+) ([\d.-]+)\)/.exec(element.parentNode.getAttribute("transform")) ?? [];
  pen.save();
  pen.translate(Number(x), Number(y));
  Object.assign(pen, {
    fillStyle: style.fill,
    strokeStyle: style.stroke,
    lineWidth: Number.parseFloat(style.strokeWidth),
    lineJoin: "round",
  });
  if (element.tagName === "text") write(pen, element, style);
  else {
    const path = outline(element);
    if (style.fill !== "none" && element.tagName !== "line") pen.fill(path);
    if (style.stroke !== "none") pen.stroke(path);
  }
  pen.restore();
}

function write(pen, element, style) {
  pen.font = `${style.fontSize} ${style.fontFamily}`;
  pen.textAlign = "center";
  const place = [given(element, "x"), given(element, "y")];
  pen.strokeText(element.textContent, ...place);
  pen.fillText(element.textContent, ...place);
}

function outline(element) {
  const of = (name) => given(element, name);
  const path = new Path2D(element.getAttribute("d") ?? "");
  if (element.tagName === "circle") path.arc(0, 0, of("r"), 0, 2 * Math.PI);
  if (element.tagName === "rect")
    path.roundRect(of("x"), of("y"), of("width"), of("height"), of("rx"));
  if (element.tagName === "line") {
    path.moveTo(of("x1"), of("y1"));
    path.lineTo(of("x2"), of("y2"));
  }
  return path;
}

function given(element, name) {
  return Number(element.getAttribute(name) ?? 0);
}
