// The items of the explorer: read from the page, and filtered.

async function readItems() {
  const packed = atob(document.getElementById("explorer-data").textContent.trim());
  const bytes = Uint8Array.from(packed, c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const items = JSON.parse(await new Response(stream).text());
  items.place = new Map(items.ids.map((id, i) => [id, i]));
  for (const column of Object.values(items.columns)) {
    column.folded = null;
    column.codes = Int32Array.from(column.codes);
  }
  return items;
}

function textOf(items, name, row) {
  const column = items.columns[name];
  return column ? column.values[column.codes[row]] : "";
}

// A condition on rows for each facet that is set; a facet with two columns holds if one of them has the value.
function facetConditions(items, wanted) {
  return items.facets.flatMap((facet, i) => {
    if (!wanted.facets[i]) return [];
    const columns = facet.columns.map(name => items.columns[name]);
    const codes = columns.map(column => column.values.indexOf(wanted.facets[i]));
    return [row => columns.some((column, c) => column.codes[row] === codes[c])];
  });
}

// The form of a text that a search compares: without case, accents, vowel points and the length of Arabic letters, and
// with one kind of i: İ and I, ı and i differ by case only in Turkish. Vowel signs, as in Hindi, are letters and stay.
function folded(text) {
  return text.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f\u064b-\u065f\u0670\u0640]/gu, "")
    .replaceAll("\u0131", "i");
}

// Each distinct text is searched once, regardless of how many rows have it.
function searchCondition(items, text) {
  const query = folded(text.trim());
  if (!query) return [];
  const columns = items.searched.map(name => {
    const column = items.columns[name];
    column.folded ??= column.values.map(folded);
    return { codes: column.codes, found: column.folded.map(value => value.includes(query)) };
  });
  return [row => columns.some(({ codes, found }) => found[codes[row]]) || items.ids[row].startsWith(query)];
}

// "wrong" is every answer except the right one; not_entailment is the right answer of a model with two labels.
function outcomeCondition(items, model, outcome) {
  if (!outcome) return [];
  const { values, codes } = items.outcome;
  const asked = model === "" ? codes : [codes[Number(model)]];
  if (outcome !== "wrong") {
    const code = values.indexOf(outcome);
    return [row => asked.some(found => found[row] === code)];
  }
  const right = items.columns.label.values.map(label => values.map(
    value => value === label || (value === "not_entailment" && label !== "entailment")));
  const labels = items.columns.label.codes;
  return [row => asked.some(found => found[row] >= 0 && !right[labels[row]][found[row]])];
}

function matching(items, wanted) {
  const conditions = [
    ...facetConditions(items, wanted),
    ...outcomeCondition(items, wanted.model, wanted.outcome),
    ...searchCondition(items, wanted.search),
  ];
  const rows = [];
  for (let row = 0; row < items.ids.length; row++) {
    if (conditions.every(holds => holds(row))) rows.push(row);
  }
  return rows;
}
