// The differences: one cell per tensor on a canvas, with a cursor that keys move.

const STATUS_TEXT = {
  equal: "equal", close: "within tolerance", changed: "changed", added: "added", removed: "removed",
  reshaped: "other shape", retyped: "other dtype", unreadable: "cannot be read",
};

function scaleItems() {
  const item = (name, text) => element("span", {}, element("i", { style: { background: `var(--${name})` } }), text);
  return [
    element("span", {}, "changed by 1e-6", element("i", { class: "ramp" }), "1 of its norm, or more"),
    item("equal", "equal"), item("added", "only in B"), item("removed", "only in A"),
    item("shape", "other shape or dtype"), item("broken", "cannot be read"),
  ];
}

const heat = {
  at: 0,

  start() {
    if (DATA.other === null) return;
    $("changes").hidden = false;
    $("scale").replaceChildren(...scaleItems());
    this.cells = ROWS;
    const counts = new Map();
    for (const row of ROWS) counts.set(row.status, (counts.get(row.status) || 0) + 1);
    for (const [status, count] of counts) {
      const chip = element("button", {
        type: "button", "aria-pressed": "false", text: `${STATUS_TEXT[status]} ${countText(count)}`,
        onclick: () => {
          const now = chip.getAttribute("aria-pressed") !== "true";
          chip.setAttribute("aria-pressed", String(now));
          table.setStatus(status, now);
        },
      });
      $("statuses").append(chip);
    }
    const canvas = $("heat");
    canvas.addEventListener("mousemove", (e) => this.move(this.under(e)));
    canvas.addEventListener("click", (e) => { const i = this.under(e); if (i >= 0) table.choose(this.cells[i], true); });
    canvas.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns }[e.key];
      if (step) { e.preventDefault(); this.move(Math.min(Math.max(this.at + step, 0), this.cells.length - 1)); }
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); table.choose(this.cells[this.at], true); }
    });
    this.draw();
    onResize(canvas.parentElement, () => this.draw());
  },

  under(e) {
    const box = $("heat").getBoundingClientRect();
    const i = Math.floor((e.clientY - box.top) / this.side) * this.columns + Math.floor((e.clientX - box.left) / this.side);
    return i < this.cells.length ? i : -1;
  },

  move(i) {
    if (i < 0 || i === this.at) return;
    this.at = i;
    this.draw();
    const row = this.cells[i];
    const amount = row.relative !== null && row.relative !== undefined ? `, ‖Δ‖/‖a‖ ${numberText(row.relative)}, max|Δ| ${numberText(row.maxAbs)}` : "";
    $("heat-now").textContent = `${row.name}: ${STATUS_TEXT[row.status]}${amount}`;
  },

  draw() {
    const canvas = $("heat"), width = canvas.parentElement.clientWidth - 34;
    const wanted = Math.sqrt((width * 220) / Math.max(this.cells.length, 1));
    this.side = Math.min(Math.max(Math.floor(wanted), 5), 26);
    this.columns = Math.max(Math.floor(width / this.side), 1);
    const height = Math.ceil(this.cells.length / this.columns) * this.side;
    const dense = window.devicePixelRatio || 1;
    canvas.width = this.columns * this.side * dense; canvas.height = height * dense;
    canvas.style.width = `${this.columns * this.side}px`; canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(dense, dense);
    const gap = this.side > 8 ? 2 : 1;
    this.cells.forEach((row, i) => {
      pen.fillStyle = statusColour(row);
      pen.fillRect((i % this.columns) * this.side, Math.floor(i / this.columns) * this.side, this.side - gap, this.side - gap);
    });
    pen.strokeStyle = colour("ink"); pen.lineWidth = 2;
    pen.strokeRect((this.at % this.columns) * this.side, Math.floor(this.at / this.columns) * this.side, this.side - gap, this.side - gap);
  },
};
