// Elements of the page: every text is set as text, never as markup, and keeps its writing direction to itself.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function isolated(text) {
  const made = document.createElement("bdi");
  made.textContent = text;
  return made;
}

// A text of the data as a line of its own, in its language and its direction: it begins at the side where readers
// begin, and ends at the other one. Two texts in one line would be read in the order of the page, not in their own.
function passage(items, name, row) {
  const language = textOf(items, "language", row);
  const attributes = { class: "passage", dir: items.directions[language] ?? "auto" };
  return element("span", language ? { ...attributes, lang: language } : attributes, textOf(items, name, row));
}

function save(name, type, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
