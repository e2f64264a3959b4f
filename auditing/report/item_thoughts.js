// The thinking before the answers about one item, folded: every text is set as text, never as markup.

function thoughtsByRow(items) {
  const byRow = new Map();
  items.thoughts.places.forEach((row, i) => byRow.set(row, [...byRow.get(row) ?? [], i]));
  return byRow;
}

function valueOf(column, i) {
  return column.values[column.codes[i]];
}

function thoughtTitle(items, i) {
  const thoughts = items.thoughts;
  const counted = thoughts.tokens[i] ?? -1;
  const size = counted >= 0 ? `${counted.toLocaleString("en")} tokens` : `${thoughts.characters[i].toLocaleString("en")} characters`;
  const text = items.kind === "quads" ? `text ${thoughts.input[i] + 1}, ` : "";
  const sample = thoughts.sample[i] > 1 ? `, sample ${thoughts.sample[i]}` : "";
  const concluded = valueOf(thoughts.conclusion, i) || "none";
  const answer = valueOf(thoughts.answer, i) || valueOf(thoughts.outcome, i).replace("_", " ");
  return ["Thinking of ", isolated(valueOf(thoughts.models, i)), ` (${text}wording ${thoughts.wording[i]}${sample}, ${size}). It concludes: `,
    isolated(concluded), ". Answer: ", isolated(answer)];
}

function thoughtNodes(items, row) {
  if (!items.thoughts) return [];
  items.thoughtsByRow ??= thoughtsByRow(items);
  return (items.thoughtsByRow.get(row) ?? []).map(i => {
    const text = items.thoughts.texts[i];
    const left = items.thoughts.characters[i] - [...text].length;
    const rest = left > 0 ? [element("p", { class: "quiet" },
      `These are the first characters; ${left.toLocaleString("en")} more are in the table traces, under this item's id.`)] : [];
    return element("details", { class: "thinking" }, element("summary", {}, ...thoughtTitle(items, i)),
      element("p", { class: "passage", dir: "auto" }, text), ...rest);
  });
}
