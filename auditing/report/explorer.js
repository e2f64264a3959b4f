// The explorer: the warning first, then filters, the list and one item; a link to an item works at any time.

function linkedItem() {
  const [, id] = /^#item=(.+)$/.exec(location.hash) ?? [];
  try {
    return id && decodeURIComponent(id);
  } catch {
    return id;
  }
}

async function startExplorer(gate, body) {
  const items = await readItems();
  const count = document.getElementById("explorer-count");
  const place = document.getElementById("explorer-item");
  const list = new ItemList(document.getElementById("explorer-list"), items, row => {
    const hash = `#item=${encodeURIComponent(items.ids[row])}`;
    if (location.hash === hash) follow();
    else location.hash = hash;
  });
  const changed = wanted => {
    const rows = matching(items, wanted);
    list.show(rows);
    const all = items.ids.length.toLocaleString("en");
    count.textContent = rows.length ? `${rows.length.toLocaleString("en")} of ${all} items` : "No item matches the filters.";
  };
  const clear = showFilters(document.getElementById("explorer-filters"), items, changed);
  function follow() {
    const id = linkedItem();
    if (id === undefined) {
      place.replaceChildren();
      list.mark(-1);
      return;
    }
    const row = items.place.get(id);
    if (row === undefined) {
      place.replaceChildren(element("p", { tabindex: "-1" }, "This page does not hold item ", isolated(id), "."));
      place.firstChild.focus();
      return;
    }
    if (!list.rows.includes(row)) clear();
    list.mark(row);
    showItem(place, items, row).focus();
  }
  gate.hidden = true;
  body.hidden = false;
  clear();
  addEventListener("hashchange", follow);
  if (linkedItem() !== undefined) follow();
  else document.getElementById("explorer-list").focus({ preventScroll: true });
}

const gate = document.getElementById("explorer-gate");
if (gate) {
  const open = document.getElementById("explorer-open");
  gate.hidden = false;
  const lead = () => {
    if (gate.hidden || linkedItem() === undefined) return;
    document.getElementById("explorer-linked").hidden = false;
    gate.scrollIntoView();
    open.focus({ preventScroll: true });
  };
  lead();
  addEventListener("hashchange", lead);
  open.addEventListener("click", () => {
    open.disabled = true;
    startExplorer(gate, document.getElementById("explorer-body"));
  }, { once: true });
}
