"use strict";
// The data as columns of rows, how numbers and sizes are written, colours, and elements made without HTML text.

const DATA = JSON.parse(document.getElementById("data").textContent);
const ROWS = DATA.rows.map((r, id) => {
  const [name, dtype, shape, elements, bytes, min, max, mean, std, nan, inf, zeros, bins, error, diff] = r;
  const [status, maxAbs, relative, changed, otherName, otherDtype, otherShape] = diff || [];
  return {
    id, name, dtype: DATA.dtypes[dtype], shape, elements, bytes, min, max, mean, std, nan, inf, zeros, bins, error,
    status: status === undefined ? null : DATA.statuses[status],
    maxAbs, relative, changed, otherName, otherDtype, otherShape,
  };
});
const $ = (id) => document.getElementById(id);

function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (key === "text") made.textContent = value;
    else if (key === "style") Object.assign(made.style, value);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function sizeText(n) {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let i = -1;
  while (n >= 999.5 && i < units.length - 1) { n /= 1000; i++; }
  return `${n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0)} ${units[i]}`;
}

function countText(n) {
  return Number(n).toLocaleString("en-US");
}

function numberText(v) {
  if (v === null || v === undefined) return "";
  if (Number.isInteger(v) && Math.abs(v) < 1e7) return String(v);
  const size = Math.abs(v);
  return size >= 1e6 || size < 1e-2 ? v.toExponential(2).replace("e+", "e") : String(Number(v.toPrecision(4)));
}

// Call `draw` when an element gets another width, but not for the one it has: that would take the focus away.
function onResize(host, draw) {
  let width = host.clientWidth;
  new ResizeObserver(() => {
    if (host.clientWidth !== width) { width = host.clientWidth; draw(); }
  }).observe(host);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function mixed(a, b, t) {
  const part = (c, i) => parseInt(c.slice(1 + 2 * i, 3 + 2 * i), 16);
  return `rgb(${[0, 1, 2].map((i) => Math.round(part(a, i) + (part(b, i) - part(a, i)) * t)).join(",")})`;
}

// How much a tensor changed, from 0 to 1: its relative norm from 1e-6 to 1 on a logarithmic scale.
function warmth(row) {
  const norm = row.relative ?? (row.changed ? 1 : 0);
  return norm > 0 ? Math.min(Math.max((Math.log10(norm) + 6) / 6, 0), 1) : 0;
}

function statusColour(row) {
  switch (row.status) {
    case "added": return colour("added");
    case "removed": return colour("removed");
    case "reshaped": case "retyped": return colour("shape");
    case "unreadable": return colour("broken");
    case "changed": case "close": {
      const t = warmth(row);
      return t < 0.5 ? mixed(colour("low"), colour("mid"), 2 * t) : mixed(colour("mid"), colour("high"), 2 * t - 1);
    }
    default: return colour("equal");
  }
}

// Bars of a histogram; `bins` is a text of heights, one character 0 to z for each bin.
function bars(bins, className) {
  const made = svg("svg", { viewBox: `0 0 ${bins.length} 36`, preserveAspectRatio: "none", class: className, "aria-hidden": "true" });
  let path = "";
  for (let i = 0; i < bins.length; i++) {
    const h = parseInt(bins[i], 36);
    if (h) path += `M${i + 0.06} 36h0.88v${-h}h-0.88z`;
  }
  made.append(svg("path", { d: path }));
  return made;
}
