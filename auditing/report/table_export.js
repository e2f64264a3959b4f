// A table as CSV, LaTeX (booktabs) and Markdown. CSV has unrounded values; LaTeX and Markdown have the values that the page shows.

const SPACES = /^[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]+/u;

// As nextset/files/spreadsheet_cells.py: text that a spreadsheet would run as a formula gets an apostrophe.
function isFormula(text) {
  if (/^[\t\r\n]/.test(text)) return true;
  const [first = ""] = text.replace(SPACES, "");
  return "=+-@".includes(first.normalize("NFKC")[0] ?? " ") || first === "\u2212";
}

function csvText(text) {
  const safe = isFormula(text.replace(/^'+/, "")) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvCell(cell) {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "number" ? String(cell) : csvText(cell);
}

function isEstimate(column) {
  return column.unit !== "text" && column.unit !== "count";
}

function csv({ columns, rows }) {
  const heads = columns.flatMap(c => (isEstimate(c) ? [c.name, `${c.name}, low`, `${c.name}, high`] : [c.name]));
  const lines = rows.map(row =>
    row.flatMap((cell, i) => (isEstimate(columns[i]) ? (cell ?? [null, null, null]) : [cell])).map(csvCell));
  return [heads.map(csvText), ...lines].map(cells => cells.join(",")).join("\r\n") + "\r\n";
}

const LATEX = {
  "\\": "\\textbackslash{}", "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "{": "\\{", "}": "\\}",
  "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "[": "{[}", "]": "{]}", "<": "$<$", ">": "$>$", "|": "$|$",
  "\u2212": "$-$", "\u2013": "--", "\u2026": "\\dots{}", "“": "``", "”": "''", '"': "\\char34{}", "·": "$\\cdot$",
  "±": "$\\pm$", α: "$\\alpha$", γ: "$\\gamma$", δ: "$\\delta$", ε: "$\\epsilon$", η: "$\\eta$", κ: "$\\kappa$",
  μ: "$\\mu$", χ: "$\\chi$",
};

function plain(text) {
  // joiners inside Hindi and Persian words are letters
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").replace(/(?![\u200c\u200d])\p{Cf}/gu, "").trim();
}

function latexText(text) {
  return Array.from(plain(text), c => LATEX[c] ?? c).join("");
}

function markdownText(text) {
  return plain(text).replace(/[\\`*_[\]<>|#~&]/g, "\\$&");
}

function shownCells(table) {
  const texts = row => Array.from(row.cells, cell => cell.textContent);
  const [heads, ...rows] = Array.from(table.rows, texts);
  const right = Array.from(table.rows[0].cells, cell => cell.classList.contains("number"));
  return { caption: table.caption.textContent, heads, rows, right };
}

function latex(table) {
  const { caption, heads, rows, right } = shownCells(table);
  const line = cells => `    ${cells.map(latexText).join(" & ")} \\\\`;
  return [
    "% needs \\usepackage{booktabs}",
    "\\begin{table}", "  \\centering", `  \\caption{${latexText(caption)}}`,
    `  \\begin{tabular}{${right.map(r => (r ? "r" : "l")).join("")}}`,
    "    \\toprule", line(heads), "    \\midrule", ...rows.map(line), "    \\bottomrule",
    "  \\end{tabular}", "\\end{table}", "",
  ].join("\n");
}

function markdown(table) {
  const { caption, heads, rows, right } = shownCells(table);
  const line = cells => `| ${cells.map(markdownText).join(" | ")} |`;
  const rule = `|${right.map(r => (r ? "--:" : "---")).join("|")}|`;
  return [markdownText(caption), "", line(heads), rule, ...rows.map(line), ""].join("\n");
}
