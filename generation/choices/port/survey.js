// The answers stay in this browser until the person saves them as a file. All texts are set with textContent.
const byId = (id) => document.getElementById(id);
const survey = JSON.parse(byId("survey").dataset.survey);
const place = `nextset-survey-${survey.key}`;

const stored = () => {
  try {
    return JSON.parse(localStorage.getItem(place));
  } catch {
    return null;
  }
};
const keep = (state) => {
  try {
    localStorage.setItem(place, JSON.stringify(state));
  } catch {
    // without storage, the answers last until the page is closed
  }
};

const shuffled = (length) => {
  const order = [...Array(length).keys()];
  for (let i = length - 1; i > 0; i -= 1) {
    const other = Math.floor(Math.random() * (i + 1));
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
};
const code = () =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const state = stored() ?? { person: code(), order: shuffled(survey.questions.length), at: 0, rows: [] };

const boxes = () => [...byId("groups").querySelectorAll("input")];
const update = () => {
  const chosen = boxes().some((box) => box.checked);
  byId("next").disabled = !chosen && !byId("nobody").checked;
};

const show = () => {
  const done = state.at >= state.order.length;
  byId("asked").hidden = done;
  byId("end").hidden = !done;
  byId("save").hidden = state.rows.length === 0;
  if (done) return;
  const question = survey.questions[state.order[state.at]];
  byId("progress").textContent = survey.progress
    .replace("{done}", String(state.at + 1))
    .replace("{all}", String(state.order.length));
  byId("stereotype").textContent = question.stereotype;
  byId("stereotype").lang = question.language;
  byId("groups").lang = question.language;
  byId("groups").replaceChildren(
    ...question.groups.map((group) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.value = group;
      box.addEventListener("change", () => {
        if (box.checked) byId("nobody").checked = false;
        update();
      });
      label.append(box, ` ${group.replaceAll("_", " ")}`);
      return label;
    }),
  );
  byId("nobody").checked = false;
  update();
};

const go = (answers) => {
  const question = survey.questions[state.order[state.at]];
  for (const answer of answers) state.rows.push([state.person, question.category, question.stereotype, answer]);
  state.at += 1;
  keep(state);
  show();
  if (state.at < state.order.length) byId("stereotype").focus();
};

// A spreadsheet would run a cell that begins like a formula: survey.cells has what is written instead.
const written = new Map(survey.cells);
const cell = (text) => `"${(written.get(text) ?? text).replaceAll('"', '""')}"`;

byId("begin").addEventListener("click", () => {
  byId("start").hidden = true;
  show();
});
byId("nobody").addEventListener("change", () => {
  if (byId("nobody").checked) for (const box of boxes()) box.checked = false;
  update();
});
byId("next").addEventListener("click", () => {
  const chosen = boxes().filter((box) => box.checked).map((box) => box.value);
  go(byId("nobody").checked ? [survey.none] : chosen);
});
byId("skip").addEventListener("click", () => go([]));
byId("save").addEventListener("click", () => {
  const lines = [survey.columns, ...state.rows].map((row) => row.map(cell).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  link.download = survey.file.replace(/\.csv$/, `-${state.person}.csv`);
  link.click();
  URL.revokeObjectURL(link.href);
});
