"use strict";

// All typed texts and model answers are set with textContent, so none of them is read as markup.
const make = (name, text, more = {}) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  Object.assign(node, more);
  return node;
};
const byId = (id) => document.getElementById(id);
const models = JSON.parse(document.body.dataset.models);
const OUTCOMES = ["abstained", "refused", "unreadable", "cut_off"];
const NAMES = { nli: ["entailment", "neutral", "contradiction"], qa: ["yes", "maybe", "no"] };

const shown = (number) => {
  const small = Math.abs(number) < 0.001 && number !== 0;
  return (small ? number.toExponential(1) : number.toFixed(3)).replaceAll("-", "−");
};

// Tabs that follow the ARIA authoring practices.
const tabs = [...document.querySelectorAll("[role=tab]")];
const choose = (tab) => {
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
  clear();
};
tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : i + step;
    if (!Number.isInteger(next)) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    choose(tab);
    tab.focus();
  });
});

const clear = () => {
  byId("error").replaceChildren();
  byId("results").replaceChildren();
  byId("state").textContent = "";
};

const cell = (number, full) => {
  const td = make("td", undefined, { className: "number" });
  if (number === null) return td;
  td.append(shown(number));
  const track = make("span", undefined, { className: "track" });
  const bar = make("span", undefined, { className: "bar" });
  bar.style.width = `${(full ? number / full : 0) * 100}%`;
  track.setAttribute("aria-hidden", "true");
  track.append(bar);
  td.append(track);
  return td;
};

// A bar fills its column if the number is `full`.
const table = (name, heads, rows, full, note) => {
  const frame = make("div", undefined, { className: "scroll", tabIndex: 0 });
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", name);
  const whole = make("table");
  const head = make("tr");
  heads.forEach((text, i) => {
    const last = i === heads.length - 1;
    head.append(make("th", text, { scope: "col", className: i && !last ? "number" : "" }));
  });
  const body = make("tbody");
  for (const [text, numbers, label] of rows) {
    const row = make("tr");
    row.append(make("th", text, { scope: "row", dir: "auto" }), ...numbers.map((n) => cell(n, full)), make("td", label));
    body.append(row);
  }
  const top = make("thead");
  top.append(head);
  const caption = make("caption", name);
  caption.append(make("span", note));
  whole.append(caption, top, body);
  frame.append(whole);
  return frame;
};

const pairResults = (found) => {
  const groups = new Map();
  for (const answer of found.answers) {
    const key = `${answer.form} ${answer.model}`;
    groups.set(key, [...(groups.get(key) ?? []), answer]);
  }
  return [...groups.values()].flatMap((answers) => {
    const { model, form } = answers[0];
    const label = (name) => NAMES[form][NAMES.nli.indexOf(name)] ?? name;
    const missing = OUTCOMES.filter((name) => answers.some((a) => a[name] > 0));
    const heads = ["Texts", ...NAMES[form], ...missing.map((name) => name.replace("_", " ")), "label"];
    const rows = answers.map((a) => [
      `${a.premise} ${a.asked}`,
      [a.entailment, a.neutral, a.contradiction, ...missing.map((name) => a[name])],
      label(a.label),
    ]);
    const nodes = [table(`${model}, ${form === "qa" ? "yes/no question" : "hypothesis"}`, heads, rows, 1, "Probabilities. A full bar is 1.")];
    if (new Set(answers.map((a) => a.label).filter((name) => name !== "unanswered")).size > 1) {
      nodes.push(make("p", "The label changes when the subjects are exchanged."));
    }
    return nodes;
  });
};

const quadResults = (found) => found.answers.flatMap((answer) => {
  const refuses = answer.arrangements.some((a) => a.no_answer !== null);
  const [first, second] = found.subjects;
  const rows = answer.arrangements.map((a) => [
    `${a.context} ${a.asked}`,
    [a.subject1, a.subject2, ...(refuses ? [a.no_answer] : [])],
    a.answer || "neither",
  ]);
  const highest = Math.max(...rows.flatMap(([, numbers]) => numbers));
  const heads = ["Texts", first, second, ...(refuses ? ["no answer"] : []), "answer"];
  const asked = answer.form === "question" ? "questions" : "masked statements";
  const isolated = (name) => `\u2068${name}\u2069`; // a name does not turn the numbers after it
  const measures = [
    ["δ", answer.positional_error], ["ε", answer.attribute_error],
    [`B(${isolated(first)})`, answer.b1], [`B(${isolated(second)})`, answer.b2], ["C", answer.c],
  ];
  const nodes = [
    table(`${answer.model}, ${asked}`, heads, rows, highest, "Scores. A full bar is the highest score."),
    make("p", measures.map(([name, n]) => `${name} ${shown(n)}`).join(" · "), { className: "measures" }),
    make("p", `${answer.model} ${answer.finding}.`, { className: "finding" }),
  ];
  if (answer.order_matters) nodes.push(make("p", "An answer changes with the order of the subjects."));
  if (found.note) nodes.push(make("p", `Note: ${found.note}.`));
  return nodes;
});

const failed = (error, remedy) => {
  byId("state").textContent = "";
  byId("error").append(make("p", error), make("p", `Try: ${remedy}`));
};

const ask = async (form, button) => {
  clear();
  const kind = form.dataset.kind;
  const data = new FormData(form);
  const body = Object.fromEntries([...data].filter(([name]) => name !== "models"));
  body.models = data.getAll("models");
  byId("state").textContent = "Asking the models …";
  button.disabled = true;
  try {
    const answer = await fetch(kind, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const found = await answer.json();
    if (!answer.ok) return failed(found.error, found.remedy);
    const count = new Set(found.answers.map((a) => a.model)).size;
    byId("state").textContent = `Answers of ${count} ${count === 1 ? "model" : "models"}.`;
    byId("results").replaceChildren(
      make("h2", "Answers"),
      ...(kind === "pair" ? pairResults : quadResults)(found),
      ...found.not_asked.map((reason) => make("p", `Not asked: ${reason}`, { className: "quiet" })),
    );
  } catch {
    failed("nextset probe does not answer.", "look at its terminal, start it again and open the new address");
  } finally {
    button.disabled = false;
  }
};

for (const form of document.querySelectorAll("form")) {
  const forms = form.dataset.forms.split(" ");
  const box = form.querySelector(".models");
  for (const model of models) {
    const fits = model.forms.some((one) => forms.includes(one));
    const label = make("label");
    const input = make("input", undefined, { type: "checkbox", name: "models", value: model.name, checked: fits, disabled: !fits });
    label.append(input, ` ${model.name} (${model.kind}${fits ? "" : ", which cannot be asked this"})`);
    box.append(label);
  }
  form.querySelector(".example").addEventListener("click", () => {
    for (const field of form.querySelectorAll("[data-example]")) field.value = field.dataset.example;
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(form, form.querySelector("[type=submit]"));
  });
}
