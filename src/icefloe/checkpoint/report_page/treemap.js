// Sizes by scope: two levels of a squarified treemap at a time, made of buttons.

// Which of the tensors of a scope tells most of how it changed.
function rank(row) {
  return row.status === "changed" || row.status === "close" ? 1 + warmth(row) : row.status && row.status !== "equal" ? 3 : 0;
}

const TREE = (() => {
  const root = { name: "", path: "", bytes: 0, count: 0, children: new Map(), row: null, hue: 0 };
  for (const row of ROWS) {
    if (row.status === "added") continue;  // sizes are those of A
    const parts = row.name.split("/");
    let node = root;
    node.bytes += row.bytes; node.count++;
    parts.forEach((part, i) => {
      const key = i === parts.length - 1 ? `\0${part}` : part;  // a tensor and a scope may have one name
      let child = node.children.get(key);
      if (!child) {
        child = { name: part, path: parts.slice(0, i + 1).join("/"), bytes: 0, count: 0, children: new Map(), row: null, parent: node };
        node.children.set(key, child);
      }
      child.bytes += row.bytes; child.count++;
      if (!child.worst || rank(row) > rank(child.worst)) child.worst = row;
      node = child;
    });
    node.row = row;
  }
  return root;
})();

const byBytes = (node) => [...node.children.values()].sort((a, b) => b.bytes - a.bytes);
const DTYPES = [...new Set(ROWS.map((row) => row.dtype))].sort();

// Bruls, Huizing, van Wijk: Squarified Treemaps (2000).
function squarified(nodes, x, y, w, h, place) {
  const total = nodes.reduce((sum, n) => sum + n.bytes, 0);
  if (!total || w <= 0 || h <= 0) return;
  const scale = (w * h) / total;
  let i = 0;
  while (i < nodes.length) {
    const side = Math.min(w, h);
    let sum = 0, worst = Infinity, end = i;
    while (end < nodes.length) {
      const next = sum + nodes[end].bytes * scale;
      const first = nodes[i].bytes * scale, last = nodes[end].bytes * scale;
      const ratio = last > 0 ? Math.max((side * side * first) / (next * next), (next * next) / (side * side * last)) : Infinity;
      if (ratio > worst && end > i) break;
      worst = ratio; sum = next; end++;
    }
    const thick = sum / side;
    let offset = 0;
    for (let k = i; k < end; k++) {
      const length = sum > 0 ? (nodes[k].bytes * scale / sum) * side : 0;
      if (w >= h) place(nodes[k], x, y + offset, thick, length);
      else place(nodes[k], x + offset, y, length, thick);
      offset += length;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    i = end;
  }
}

const treemap = {
  node: TREE,
  paint: "scope",

  start() {
    const kinds = [["scope", "by scope"], ["dtype", "by dtype"]];
    if (DATA.other !== null) kinds.push(["change", "by change"]);
    $("paint").append(...kinds.map(([value, text]) => element("option", { value, text })));
    $("paint").addEventListener("change", (e) => { this.paint = e.target.value; this.draw(); });
    $("map").addEventListener("keydown", (e) => {
      if (e.key === "Escape" && this.node.parent) { e.preventDefault(); this.open(this.node.parent, true); }
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (e.key in steps) {
        const all = [...$("map").querySelectorAll("button")];
        const next = all[all.indexOf(document.activeElement) + steps[e.key]];
        if (next) { e.preventDefault(); next.focus(); }
      }
    });
    this.draw();
    onResize($("map"), () => this.draw());
  },

  open(node, keepFocus) {
    while (node.children.size === 1 && node.row === null && [...node.children.values()][0].row === null) {
      node = [...node.children.values()][0];  // a scope with one scope in it shows nothing new
    }
    this.node = node;
    this.draw();
    if (keepFocus) ($("map").querySelector("button") || $("map")).focus();
  },

  fill(node) {
    if (this.paint === "dtype") {
      const row = node.row || firstRow(node);
      return `var(--c${DTYPES.indexOf(row.dtype) % 10})`;
    }
    if (this.paint === "change") {
      return statusColour(node.worst);
    }
    const child = childOf(node, this.base);
    return child.parent === this.base ? `var(--c${child.hue})` : "var(--equal)";
  },

  draw() {
    const map = $("map"), width = map.clientWidth, height = map.clientHeight;
    this.base = this.node;  // where colours differ: below what holds nearly all
    for (;;) {
      const largest = byBytes(this.base)[0];
      if (!largest || largest.row !== null || largest.bytes < 0.8 * this.base.bytes) break;
      this.base = largest;
    }
    byBytes(this.base).forEach((child, i) => { child.hue = i % 10; });
    map.replaceChildren();
    this.place(this.node, 0, 0, width, height, 0, map);
    const trail = [];
    for (let node = this.node; node; node = node.parent) trail.unshift(node);
    $("crumbs").replaceChildren(...trail.flatMap((node, i) => [
      ...(i ? [element("span", { text: "/" })] : []),
      element("button", {
        type: "button", text: node.name || "all", "aria-current": node === this.node ? "true" : null,
        onclick: () => { this.node = node; this.draw(); },
      }),
    ]));
    this.legend();
  },

  place(parent, x, y, w, h, depth, host) {
    const children = byBytes(parent).filter((child) => child.bytes > 0);
    const left = [];
    squarified(children, x, y, w, h, (node, nx, ny, nw, nh) => {
      if (nw < 3 || nh < 3) { left.push(node); return; }
      const isScope = node.row === null;
      const label = `${node.path || node.name}, ${sizeText(node.bytes)}${isScope ? `, ${countText(node.count)} tensors` : ""}`;
      const tag = nw > 34 && nh > 17
        ? element("span", { class: "tag" }, node.name || "(empty)", element("i", { text: sizeText(node.bytes) }))
        : "";
      const button = element("button", {
        type: "button", class: isScope ? "node scope" : "node", "aria-label": label, title: label,
        style: { left: `${nx}px`, top: `${ny}px`, width: `${nw}px`, height: `${nh}px`, background: this.fill(node) },
        onclick: () => (isScope ? this.open(node, true) : table.choose(node.row, true)),
      }, tag);
      host.append(button);
      if (isScope && depth < 2 && nw > 40 && nh > 40) {
        this.place(node, nx + 3, ny + 20, nw - 6, nh - 23, depth + 1, host);
      }
    });
  },

  legend() {
    const item = (background, text) => element("span", {}, element("i", { style: { background } }), text);
    if (this.paint === "dtype") {
      const sizes = new Map(DTYPES.map((dtype) => [dtype, 0]));
      for (const row of ROWS) sizes.set(row.dtype, sizes.get(row.dtype) + row.bytes);
      $("legend").replaceChildren(...DTYPES.slice(0, 20).map((dtype, i) => item(`var(--c${i % 10})`, `${dtype} ${sizeText(sizes.get(dtype))}`)));
    } else if (this.paint === "change") {
      $("legend").replaceChildren(...scaleItems());
    } else {
      $("legend").replaceChildren(...byBytes(this.base).slice(0, 10).map((child) => item(`var(--c${child.hue})`, `${child.name} ${sizeText(child.bytes)}`)));
    }
  },
};

function childOf(node, ancestor) {
  while (node.parent && node.parent !== ancestor) node = node.parent;
  return node;
}

function firstRow(node) {
  while (node.row === null) node = byBytes(node)[0];
  return node.row;
}
