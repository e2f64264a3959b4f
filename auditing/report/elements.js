// Elements of the page: every text is set as text, never as markup, and its writing direction affects nothing around it.

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

// A text of the data on a separate line, in its own language and direction. Two texts on one line would be ordered by
// the direction of the page, not by their own.
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
