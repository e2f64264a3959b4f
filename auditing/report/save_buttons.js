// The buttons that save a figure or its numbers, and the numbers of all figures in print.

const TABLES = new Map(
  JSON.parse(document.getElementById("report-tables").textContent).map(table => [table.name, table]));

// Without this mark, Excel reads a CSV file in the encoding of the computer.
const BOM = "\ufeff";

function saveButton(label, name, action) {
  const button = element("button", { type: "button", "aria-label": `Save ${name} as ${label}` }, label);
  button.addEventListener("click", action);
  return button;
}

for (const place of document.querySelectorAll("[data-save]")) {
  const name = place.dataset.save;
  const table = document.getElementById(`table-${name}`);
  const svg = place.closest(".result")?.querySelector("figure svg");
  const buttons = svg ? [
    saveButton("SVG", name, () => save(`${name}.svg`, "image/svg+xml", figureSvg(svg))),
    saveButton("PNG", name, async () => save(`${name}.png`, "image/png", await figurePng(svg))),
  ] : [];
  buttons.push(
    saveButton("CSV", name, () => save(`${name}.csv`, "text/csv;charset=utf-8", BOM + csv(TABLES.get(name)))),
    saveButton("LaTeX", name, () => save(`${name}.tex`, "text/x-tex;charset=utf-8", latex(table))),
    saveButton("Markdown", name, () => save(`${name}.md`, "text/markdown;charset=utf-8", markdown(table))),
  );
  place.append(element("span", { class: "quiet" }, "Save as "), ...buttons);
}

const numbers = document.querySelectorAll("details.numbers");
let closed = [];
addEventListener("beforeprint", () => {
  closed = Array.from(numbers).filter(d => !d.open);
  for (const d of closed) d.open = true;
});
addEventListener("afterprint", () => {
  for (const d of closed) d.open = false;
});
