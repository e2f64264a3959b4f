// The list of matching items. Only the visible rows are elements of the page, so that a list of any length scrolls smoothly.

const ROW_HEIGHT = 60;
const ROWS_AROUND = 4;

class ItemList {
  constructor(list, items, open) {
    this.list = list;
    this.items = items;
    this.open = open;
    this.rows = [];
    this.active = 0;
    this.opened = -1;
    this.sheet = element("div", { role: "presentation", class: "explorer-sheet" });
    list.replaceChildren(this.sheet);
    list.addEventListener("scroll", () => this.draw(), { passive: true });
    list.addEventListener("keydown", event => this.key(event));
    list.addEventListener("click", event => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose(Number(option.dataset.at));
    });
    new ResizeObserver(() => this.draw()).observe(list);
  }

  show(rows) {
    this.rows = rows;
    this.active = Math.max(0, rows.indexOf(this.opened));
    this.list.hidden = rows.length === 0;
    this.sheet.style.height = `${rows.length * ROW_HEIGHT}px`;
    this.list.scrollTop = this.active * ROW_HEIGHT;
    this.draw();
  }

  mark(row) {
    this.opened = row;
    const at = this.rows.indexOf(row);
    if (at >= 0) this.move(at);
    else this.draw();
  }

  choose(at) {
    this.active = at;
    this.open(this.rows[at]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW_HEIGHT) - 1);
    const last = this.rows.length - 1;
    const to = {
      ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page,
      PageUp: this.active - page, Home: 0, End: last,
    }[event.key];
    if (to !== undefined) this.move(Math.min(last, Math.max(0, to)));
    else if (event.key === "Enter" || event.key === " ") this.choose(this.active);
    else return;
    event.preventDefault();
  }

  move(at) {
    this.active = at;
    const top = at * ROW_HEIGHT;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    const below = top + ROW_HEIGHT - this.list.clientHeight;
    if (below > this.list.scrollTop) this.list.scrollTop = below;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW_HEIGHT) - ROWS_AROUND);
    const shown = Math.ceil(this.list.clientHeight / ROW_HEIGHT) + 2 * ROWS_AROUND;
    const options = [];
    for (let at = first; at < Math.min(this.rows.length, first + shown); at++) options.push(this.option(at));
    this.sheet.replaceChildren(...options);
    const active = this.sheet.querySelector(".active");
    if (active) this.list.setAttribute("aria-activedescendant", active.id);
    else this.list.removeAttribute("aria-activedescendant");
  }

  option(at) {
    const row = this.rows[at];
    const option = element("div", {
      role: "option", id: `explorer-option-${at}`, "data-at": at, "aria-setsize": this.rows.length,
      "aria-posinset": at + 1, "aria-selected": row === this.opened,
      class: at === this.active ? "active" : "",
    }, ...summary(this.items, row));
    option.style.top = `${at * ROW_HEIGHT}px`;
    option.style.height = `${ROW_HEIGHT}px`;
    return option;
  }
}

const SUMMARIES = {
  items: { passage: "hypothesis", facts: ["domain", "stance", "verdict"] },
  choices: { passage: "question", facts: ["category", "condition", "polarity", "verdict"] },
  quads: { passage: "asked", facts: ["subject_class", "subject1", "subject2", "attribute"] },
};

function summary(items, row) {
  const { passage: shown, facts: names } = SUMMARIES[items.kind];
  const facts = element("span", { class: "quiet" });
  for (const text of names.map(name => textOf(items, name, row)).filter(Boolean)) {
    if (facts.childNodes.length) facts.append(" · ");
    facts.append(isolated(text));
  }
  return [passage(items, shown, row), facts];
}
