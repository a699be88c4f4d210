// The table: sorted, filtered, and only the rows in sight are elements.

const ROW_HEIGHT = 28;
const COLUMNS = [
  ["name", "name", "", "text name", (r) => r.name],
  ["dtype", "dtype", "72px", "text", (r) => r.dtype],
  ["elements", "shape", "104px", "text", (r) => r.shape],
  ["bytes", "size", "74px", "", (r) => sizeText(r.bytes)],
  ...(DATA.other === null ? [] : [["warmth", "change", "112px", "text", null]]),
  ["min", "min", "76px", "", (r) => numberText(r.min)],
  ["max", "max", "76px", "", (r) => numberText(r.max)],
  ["mean", "mean", "80px", "", (r) => numberText(r.mean)],
  ["std", "std", "76px", "", (r) => numberText(r.std)],
  ["odd", "NaN/Inf", "64px", "", (r) => (r.nan + r.inf ? countText(r.nan + r.inf) : "")],
  ["zeros", "zeros", "64px", "", (r) => (r.elements && r.zeros ? `${(100 * r.zeros / r.elements).toPrecision(3)}%` : "")],
  [null, "histogram", "112px", "", null],
];
const VALUES = {
  warmth: (r) => (r.status === "equal" ? -1 : r.status === "changed" || r.status === "close" ? warmth(r) : 2),
  odd: (r) => r.nan + r.inf,
  zeros: (r) => (r.elements ? r.zeros / r.elements : 0),
};

const table = {
  shown: [], sort: "name", descending: false, chosen: null, statuses: new Set(),

  start() {
    for (const [key, title, width, kind] of COLUMNS) {
      const head = element("th", { scope: "col", class: kind, style: { width } });
      if (key === null) head.append(element("span", { class: "hidden", text: title }));
      else head.append(element("button", { type: "button", text: title, onclick: () => this.sortBy(key) }));
      head.dataset.key = key;
      $("head").append(head);
    }
    $("filter").addEventListener("input", () => this.refresh());
    $("odd").addEventListener("change", () => this.refresh());
    $("scroll").addEventListener("scroll", () => this.draw(), { passive: true });
    $("scroll").addEventListener("keydown", (e) => this.key(e));
    this.refresh();
  },

  sortBy(key) {
    this.descending = this.sort === key ? !this.descending : key !== "name" && key !== "dtype";
    this.sort = key;
    this.refresh();
  },

  setStatus(status, on) {
    if (on) this.statuses.add(status); else this.statuses.delete(status);
    this.refresh();
  },

  matcher() {
    const text = $("filter").value.trim();
    $("filter").removeAttribute("aria-invalid");
    const pattern = text.match(/^\/(.+)\/?$/);
    if (pattern) {
      try {
        const found = new RegExp(text.replace(/^\/|\/$/g, ""));
        return (row) => found.test(row.name);
      } catch {
        $("filter").setAttribute("aria-invalid", "true");
        return () => false;
      }
    }
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (row) => words.every((word) => row.name.toLowerCase().includes(word) || row.dtype === word);
  },

  refresh() {
    const matches = this.matcher(), odd = $("odd").checked;
    this.shown = ROWS.filter((row) =>
      matches(row) && (!odd || row.nan || row.inf || row.error) && (!this.statuses.size || this.statuses.has(row.status)));
    const value = VALUES[this.sort] || ((row) => row[this.sort]);
    const sign = this.descending ? -1 : 1;
    this.shown.sort((a, b) => {
      const x = value(a), y = value(b), none = (v) => v === null || v === undefined;
      if (none(x) || none(y)) return none(x) - none(y) || a.id - b.id;
      return (x < y ? -sign : x > y ? sign : 0) || a.id - b.id;
    });
    for (const head of $("head").children) {
      if (head.dataset.key === this.sort) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const bytes = this.shown.reduce((sum, row) => sum + row.bytes, 0);
    $("shown").textContent = `${countText(this.shown.length)} of ${countText(ROWS.length)} tensors, ${sizeText(bytes)}`;
    $("table").setAttribute("aria-rowcount", String(this.shown.length + 1));
    $("scroll").scrollTop = 0;
    this.draw();
  },

  draw() {
    const box = $("scroll");
    const first = Math.max(Math.floor(box.scrollTop / ROW_HEIGHT) - 8, 0);
    const last = Math.min(first + Math.ceil(box.clientHeight / ROW_HEIGHT) + 16, this.shown.length);
    const spacer = (rows) => element("tr", { "aria-hidden": "true" }, element("td", { colspan: COLUMNS.length, style: { height: `${rows * ROW_HEIGHT}px` } }));
    $("before").replaceChildren(...(first ? [spacer(first)] : []));
    $("after").replaceChildren(...(last < this.shown.length ? [spacer(this.shown.length - last)] : []));
    $("rows").replaceChildren(...this.shown.slice(first, last).map((row, i) => this.line(row, first + i)));
  },

  line(row, place) {
    const line = element("tr", {
      "aria-rowindex": place + 2, "aria-selected": String(row === this.chosen), onclick: () => this.choose(row, false),
    });
    for (const [key, , , kind, text] of COLUMNS) {
      const cell = element("td", { class: kind });
      if (key === null) { if (row.bins) cell.append(bars(row.bins, "spark")); }
      else if (key === "warmth") cell.append(statusTag(row));
      else {
        cell.textContent = text(row);
        if (key === "name") cell.title = row.name;
        if (key === "odd" && row.nan + row.inf) cell.classList.add("bad");
        if (key === "min" && row.error) { cell.textContent = "damaged"; cell.classList.add("bad"); }
      }
      line.append(cell);
    }
    return line;
  },

  key(e) {
    const page = Math.max(Math.floor($("scroll").clientHeight / ROW_HEIGHT) - 2, 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key];
    if (step === undefined || !this.shown.length) return;
    e.preventDefault();
    const now = this.shown.indexOf(this.chosen);
    this.choose(this.shown[Math.min(Math.max(now + step, 0), this.shown.length - 1)], true);
  },

  // Show a tensor in the panel, and its line where `scroll`; filters that hide it are cleared.
  choose(row, scroll) {
    if (!this.shown.includes(row)) {
      $("filter").value = ""; $("odd").checked = false; this.statuses.clear();
      for (const chip of $("statuses").children) chip.setAttribute("aria-pressed", "false");
      this.refresh();
    }
    this.chosen = row;
    if (scroll) {
      const box = $("scroll"), top = this.shown.indexOf(row) * ROW_HEIGHT, room = box.clientHeight - 3 * ROW_HEIGHT;
      if (top < box.scrollTop || top > box.scrollTop + room) box.scrollTop = Math.max(top - room / 2, 0);
    }
    this.draw();
    showDetail(row);
  },
};

function statusTag(row) {
  const amount = row.status === "changed" && row.relative ? numberText(Number(row.relative.toPrecision(2))) : STATUS_TEXT[row.status];
  return element("span", { class: "status" }, element("i", { style: { background: statusColour(row) } }), amount);
}

function showDetail(row) {
  const list = element("dl");
  const put = (name, value, bad) => {
    if (value === "" || value === null || value === undefined) return;
    list.append(element("dt", { text: name }), element("dd", { text: value, class: bad ? "bad" : null }));
  };
  put("dtype", row.dtype); put("shape", row.shape); put("elements", countText(row.elements)); put("size", sizeText(row.bytes));
  put("min", numberText(row.min)); put("max", numberText(row.max)); put("mean", numberText(row.mean)); put("std", numberText(row.std));
  put("zeros", countText(row.zeros)); put("NaN", countText(row.nan), row.nan > 0); put("Inf", countText(row.inf), row.inf > 0);
  const parts = [element("h3", { text: row.name }), list];
  const block = (title, ...children) => parts.push(element("div", {}, element("h4", { text: title }), ...children));
  if (row.error) block("Damaged", element("p", { class: "bad", text: row.error }));
  if (row.bins) {
    block("Histogram", bars(row.bins, "large"),
      element("div", { class: "ends" }, element("span", { text: numberText(row.min) }), element("span", { text: numberText(row.max) })));
  }
  if (row.status) {
    const more = element("dl");
    const say = (name, value) => { if (value !== "" && value !== null && value !== undefined) more.append(element("dt", { text: name }), element("dd", { text: value })); };
    say("status", STATUS_TEXT[row.status]); say("name in B", row.otherName); say("dtype in B", row.otherDtype); say("shape in B", row.otherShape);
    say("max|Δ|", numberText(row.maxAbs)); say("‖Δ‖/‖a‖", numberText(row.relative));
    if (row.changed) say("changed", `${countText(row.changed)} of ${countText(row.elements)}`);
    block("Against B", more);
  }
  $("detail").replaceChildren(...parts);
}
