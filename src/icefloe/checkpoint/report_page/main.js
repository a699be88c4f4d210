// Titles, totals, the theme; then everything starts.

function tile(value, text, bad) {
  return element("div", { class: bad ? "tile alert" : "tile" }, element("b", { text: value }), element("span", { text }));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (table.shown.length) { treemap.draw(); table.draw(); if (DATA.other !== null) heat.draw(); }
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", (e) => setTheme(e.matches ? "dark" : "light"));
$("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

$("title").textContent = DATA.prefix;
if (DATA.other !== null) {
  $("compared").hidden = false;
  $("compared").textContent = `A, compared with B: ${DATA.other}`;
}
const t = DATA.totals;
$("tiles").append(
  tile(countText(t.tensors), "tensors"), tile(countText(t.elements), "elements"), tile(sizeText(t.bytes), DATA.format),
  tile(countText(t.nan), "NaN", t.nan > 0), tile(countText(t.inf), "Inf", t.inf > 0),
);
if (DATA.other !== null) $("tiles").append(tile(countText(t.differing), "tensors differ", t.differing > 0));
if (t.damaged) {
  $("tiles").append(tile(countText(t.damaged), "damaged", true));
}
const left = DATA.left_out ? ` ${countText(DATA.left_out)} small tensors are in the totals only.` : "";
$("foot").textContent = `Made by icefloe ${DATA.version}. Statistics are of finite values.${left}`;
$("detail").append(element("p", { class: "muted", text: "Choose a tensor to see its numbers and histogram." }));
heat.start();
table.start();
treemap.start();
