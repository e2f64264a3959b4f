// The filters above the list: one choice per facet, model and outcome, and a search.

function choice(label, options) {
  const select = element("select");
  select.append(...options.map(([value, text]) => {
    const option = element("option", { value });
    option.textContent = text;
    return option;
  }));
  return { select, labelled: element("label", {}, element("span", {}, label), select) };
}

function facetOptions(items, facet) {
  const values = new Set(facet.columns.flatMap(name => items.columns[name].values));
  values.delete("");
  const order = new Intl.Collator(items.columns.language?.values.find(Boolean) || "en");
  return [["", "all"], ...Array.from(values).sort(order.compare).map(value => [value, value])];
}

function outcomeOptions(items) {
  const { values, codes } = items.outcome;
  const used = values.filter((_, code) => codes.some(found => found.includes(code)));
  const wrong = items.columns.label ? [["wrong", "wrong answer"]] : [];
  return [["", "all"], ...used.map(value => [value, value.replace("_", " ")]), ...wrong];
}

function showFilters(place, items, changed) {
  const facets = items.facets.map(facet => choice(facet.label, facetOptions(items, facet)));
  const model = choice("Model", [["", "any model"], ...items.models.map((m, i) => [String(i), m.name])]);
  const outcome = choice(items.outcome.label, outcomeOptions(items));
  const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const searched = element("label", {}, element("span", {}, "Search"), search);
  const reset = element("button", { type: "button" }, "Clear filters");
  const selects = [...facets, ...(items.models.length ? [model, outcome] : [])];
  const wanted = () => ({
    facets: facets.map(f => f.select.value), model: model.select.value, outcome: outcome.select.value,
    search: search.value,
  });
  for (const { select } of selects) select.addEventListener("change", () => changed(wanted()));
  search.addEventListener("input", () => changed(wanted()));
  const clear = () => {
    for (const { select } of selects) select.value = "";
    search.value = "";
    changed(wanted());
  };
  reset.addEventListener("click", clear);
  place.replaceChildren(...selects.map(s => s.labelled), searched, reset);
  return clear;
}
