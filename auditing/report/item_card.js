// One item: its texts, next to its counterpart, with every model's numbers and the item's counts of judgments.

function facts(pairs) {
  const list = element("dl");
  for (const [name, text] of pairs) {
    if (text) list.append(element("dt", {}, name), element("dd", {}, text instanceof Node ? text : isolated(text)));
  }
  return list;
}

const PASSAGES = ["premise", "hypothesis"];

function numberTable(caption, heads, rows) {
  const head = element("tr", {}, ...heads.map((text, i) =>
    element("th", { scope: "col", class: i ? "number" : "" }, isolated(text))));
  const body = rows.map(([name, ...cells]) => element("tr", {},
    element("th", { scope: "row" }, isolated(name)),
    ...cells.map(cell => element("td", { class: "number" }, isolated(cell)))));
  const table = element("table", {},
    element("caption", {}, element("span", {}, isolated(caption))),
    element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, table);
}

// The prompts that a model did not answer with a choice, such as "refused 2/3"; undefined if it answered all.
function outcomeNote(items, m, row) {
  return items.without_choice?.[m][row];
}

function answerText(items, m, row) {
  const answer = items.outcome.values[items.outcome.codes[m][row]].replace("_", " ");
  const note = outcomeNote(items, m, row);
  if (!note) return answer;
  return answer === "unanswered" ? `did not answer: ${note}` : `${answer} (${note})`;
}

const LABELS = ["entailment", "neutral", "contradiction"];

function itemCard(items, row, title) {
  const names = [["Premise", "premise"], ["Hypothesis", "hypothesis"], ["Right answer", "label"],
    ["Stance", "stance"], ["Stereotype", "stereotype"], ["It says", "pro_sentence"],
    ["Its opposite", "anti_sentence"], ["Verdict", "verdict"], ["Judgments", "votes"]];
  const models = items.models.flatMap((model, m) => {
    const code = items.outcome.codes[m][row];
    if (code < 0) return [];
    const of = LABELS.map((_, i) => items.scores[m][LABELS.length * row + i]);
    const shown = of.map(value => (value < 0 ? "–" : (value / 1000).toFixed(3)));
    return [[model.name, answerText(items, m, row), ...shown]];
  });
  return element("div", { class: "card" },
    element("h4", {}, title),
    facts(names.map(([name, column]) => {
      const text = textOf(items, column, row);
      return [name, text && PASSAGES.includes(column) ? passage(items, column, row) : text];
    })),
    numberTable(`Probabilities: ${title.toLowerCase()}`, ["Model", "answer", ...LABELS], models),
    ...thoughtNodes(items, row));
}

function itemCards(items, row) {
  const other = items.counterparts[row];
  const cards = [itemCard(items, row, "Item")];
  if (other >= 0) cards.push(itemCard(items, other, "Counterpart"));
  return cards;
}

const ARRANGEMENTS = [["context_12", "asked"], ["context_21", "asked"], ["context_12", "asked_negated"],
  ["context_21", "asked_negated"]];

function scoreText(value) {
  const text = Math.abs(value) > 0 && Math.abs(value) < 0.001 ? value.toExponential(2) : value.toFixed(4);
  return text.replaceAll("-", "\u2212");
}

function quadCards(items, row) {
  const first = textOf(items, "subject1", row);
  const second = textOf(items, "subject2", row);
  const texts = facts([["Class", textOf(items, "subject_class", row)], ["Attribute", textOf(items, "attribute", row)],
    ["Verdict", textOf(items, "verdict", row)], ["Judgments", textOf(items, "votes", row)]]);
  const arrangements = element("ol");
  for (const names of ARRANGEMENTS) {
    const line = element("li");
    line.append(...names.map(name => passage(items, name, row)));
    arrangements.append(line);
  }
  const cards = items.models.flatMap((model, m) => {
    const scores = items.scores[m].slice(8 * row, 8 * row + 8);
    if (scores[0] < 0) return [];
    const rows = ARRANGEMENTS.map((_, i) => [`${i + 1}`, scoreText(scores[2 * i]), scoreText(scores[2 * i + 1])]);
    // B and C come from the unrounded scores: from the rounded ones above, C could change its sign.
    const [b1, b2, c] = items.bias[m].slice(3 * row, 3 * row + 3);
    rows.push(["B", scoreText(b1), scoreText(b2)]);
    const sign = c === 0 ? "neither subject" : c > 0 ? first : second;
    const heading = element("h4", {}, isolated(model.name));
    const note = outcomeNote(items, m, row);
    const told = note ? element("p", {}, `The model did not answer all prompts: ${note}.`)
      : element("p", {}, `C = ${scoreText(c)}: the attribute goes with `, isolated(sign), ".");
    return [element("div", { class: "card" }, heading, numberTable(
      `Scores of ${model.name}`, ["Text", first, second], rows), told)];
  });
  return [element("div", { class: "card" }, element("h4", {}, "The four texts"), texts, arrangements,
    ...thoughtNodes(items, row)), ...cards];
}

// The options are columns option1, option2 and so on; the fourth and later ones exist in few sets.
function choiceCards(items, row) {
  const options = Object.keys(items.columns).filter(name => /^option\d$/.test(name) && textOf(items, name, row));
  const list = element("ol");
  for (const name of options) {
    const group = textOf(items, name.replace("option", "group"), row);
    list.append(element("li", {}, passage(items, name, row), ...(group ? [" (", isolated(group), ")"] : [])));
  }
  const names = [["Context", "context"], ["Question", "question"], ["Right answer", "right"], ["Category", "category"],
    ["Condition", "condition"], ["Polarity", "polarity"], ["Target", "target"], ["Stereotype", "stereotype"],
    ["Template", "template_id"], ["Source", "source"], ["Verdict", "verdict"], ["Judgments", "votes"]];
  const texts = facts(names.map(([name, column]) => {
    const text = textOf(items, column, row);
    return [name, text && ["context", "question"].includes(column) ? passage(items, column, row) : text];
  }));
  const models = items.models.flatMap((model, m) => {
    if (items.outcome.codes[m][row] < 0) return [];
    const of = options.map((_, i) => items.scores[m][items.places * row + i]);
    const shown = of.map(value => (value < 0 ? "–" : (value / 1000).toFixed(3)));
    const chosen = items.chosen[m][row];
    const text = chosen < 0 ? "none" : textOf(items, `option${chosen + 1}`, row);
    return [[model.name, text, answerText(items, m, row), ...shown]];
  });
  const heads = ["Model", "answer", "it is", ...options.map((_, i) => `option ${i + 1}`)];
  return [element("div", { class: "card" }, element("h4", {}, "Item"), texts, list,
    numberTable("Probabilities of the options", heads, models), ...thoughtNodes(items, row))];
}

const CARDS = { items: itemCards, choices: choiceCards, quads: quadCards };

function showItem(place, items, row) {
  const id = items.ids[row];
  const heading = element("h3", { tabindex: "-1" }, "Item ", element("code", {}, id));
  const link = element("p", {}, element("a", { href: `#item=${encodeURIComponent(id)}` }, "Link to this item"));
  const cards = CARDS[items.kind](items, row);
  place.replaceChildren(heading, link, element("div", { class: "cards" }, ...cards));
  return heading;
}
