"""The figures of NLI items, asked as pairs or as yes/no questions: accuracy, and the lean to a side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.measures.measure import MEASURES
from nextset.auditing.report.figure import Figure, short_names
from nextset.auditing.report.interval_plot import PlotGroup, PlotRow, interval_plot
from nextset.auditing.report.number_table import Cell, Column, Estimate, NumberTable, Row
from nextset.auditing.shown_form import SHOWN_FORMS
from nextset.forms import FORMS, FormName
from nextset.html.svg import ANTI, ERROR, PRO

__all__ = ["SET_NAMES", "estimate", "item_figures", "measured_set", "model_label"]

SET_NAMES = {
    "plain": "plain expansion",
    "generated": "generated set",
    "released": "released dataset",
    "judged": "judged items",
    "dataset": "dataset",
}
"""The names of an audit's sets on the page."""
_SHARES = (("with", "pro", PRO), ("against", "anti", ANTI))
"""The answers with and against the stereotype: name in the figure, measure and colour of each share."""
_PAIRS = (
    ("towards", "counterfactual_pro", PRO),
    ("away", "counterfactual_anti", ANTI),
    ("same answer", "counterfactual_error", ERROR),
)
"""The same for items in pairs."""


def estimate(row: MeasureRow | None) -> Estimate:
    """Return a measure with its interval; undefined without a row."""
    return Estimate(row.value, row.low, row.high) if row else Estimate(None)


def measured_set(rows: Iterable[MeasureRow]) -> str:
    """Return the name of the set that the report is about; "" without rows.

    It is the first of the form's `nextset.auditing.shown_form.ShownForm.main_sets`: for NLI items the
    released dataset, for quads the generated set, since a filter model shows larger preferences on quads that
    were kept for them.
    """
    known = list(rows)
    sets = {row.items for row in known}
    order = SHOWN_FORMS[known[0].form].main_sets if known else ()
    return next((name for name in order if name in sets), "")


def model_label(row: MeasureRow) -> str:
    """Return the model's name, with its role if it was not a filter model."""
    return row.model + {"held_out": " (held out)", "audit": " (audit only)"}.get(row.role, "")


def item_figures(audit: AuditTables, form: FormName) -> list[Figure]:
    """Return the figures of NLI items asked in ``form``; figures without data are omitted."""
    rows = [r for r in audit.measures if r.form == form and r.selection == "measured"]
    main = measured_set(rows)
    own = [r for r in rows if r.items == main]
    suffix = f"-{form}" if FORMS[form].asks else ""
    form_note = f" ({FORMS[form].noun})" if FORMS[form].asks else ""
    figures = [
        _accuracy(rows, suffix, form_note),
        _biases([r for r in own if r.by == "all"], SET_NAMES.get(main, main), suffix, form_note),
        _accuracy_by_domain([r for r in own if r.by == "domain"], suffix, form_note),
        _biases_by_domain([r for r in own if r.by == "domain"], suffix, form_note),
    ]
    return [figure for figure in figures if figure]


def _accuracy(rows: Sequence[MeasureRow], suffix: str, asked: str) -> Figure | None:
    overall = [r for r in rows if r.by == "all" and r.measure == "accuracy"]
    sets = [name for name in SET_NAMES if any(r.items == name for r in overall)]
    by_model = _by_model(overall)
    if not by_model:
        return None
    groups = [
        PlotGroup(
            label,
            tuple(
                PlotRow(r.items, estimate(r), ANTI, "ring" if r.items == "plain" else "dot", r.n)
                for name in sets
                for r in own
                if r.items == name
            ),
        )
        for label, own in by_model.items()
    ]
    title = "Accuracy by model" + asked
    both = "plain" in sets and "released" in sets
    reading = "The dot is the share of right answers."
    if both:
        reading = "The further left of the ring the dot is, the more accuracy the released dataset costs."
    subtitle = ["Ring: plain expansion. Dot: released dataset."] if both else []
    svg = interval_plot(groups, "per_cent", title, [*subtitle, "Right answers in per cent."], "items", (0, 1))
    columns = (Column("Model"), *(c for n in sets for c in _measured_columns(SET_NAMES[n].capitalize())))
    lines = []
    for label, own in by_model.items():
        by_set = {r.items: r for r in own}
        cells: list[Cell] = [label]
        for name in sets:
            cells += [estimate(by_set.get(name)), by_set[name].n if name in by_set else None]
        lines.append(tuple(cells))
    table = NumberTable("accuracy" + suffix, "Accuracy in per cent" + asked, columns, tuple(lines))
    return Figure(reading, svg, table)


def _measured_columns(name: str) -> tuple[Column, Column]:
    return Column(name, "per_cent"), Column(f"{name}, items", "count")


def _biases(rows: Sequence[MeasureRow], where: str, suffix: str, asked: str) -> Figure | None:
    names, paired = _bias_names(rows)
    by_model = {label: {r.measure: r for r in own} for label, own in _by_model(rows).items()}
    by_model = {label: own for label, own in by_model.items() if _has(own, names)}
    if not by_model:
        return None
    groups = [
        PlotGroup(label, tuple(PlotRow(n, estimate(own[m]), c, "bar", own[m].n) for n, m, c in names))
        for label, own in by_model.items()
    ]
    title = f"{_title(paired)} by model{asked}"
    if paired:
        reading = (
            "The two items of a pair differ only in the group. Towards: the two answers differ, and the "
            "wrong ones go with the stereotype (column counterfactual_pro). Away: they go against it "
            "(counterfactual_anti). Same answer: the same wrong answer to both (counterfactual_error)."
        )
    else:
        reading = (
            "With: wrong answers with the stereotype (column pro). Against: wrong answers against it (anti)."
        )
    reading += (
        " The aggregate, in the numbers below, says whether the model leans to one side: it does if the "
        "interval of the aggregate does not contain 0."
    )
    base = "items in pairs" if paired else "all items"
    subtitle = [f"In per cent of {base} of the {where}."]
    svg = interval_plot(groups, "per_cent", title, subtitle, "items", (0.0, 0.05))
    listed = [*(m for _, m, _ in names), "aggregate", *["counterfactual_misprediction"] * paired]
    measures = [(MEASURES[m].shown_title, m) for m in listed]
    columns = (Column("Model"), *(Column(n, "per_cent") for n, _ in measures), Column("Items", "count"))
    lines: tuple[Row, ...] = tuple(
        (label, *(estimate(own.get(m)) for _, m in measures), own[names[0][1]].n)
        for label, own in by_model.items()
    )
    caption = f"{title}, in per cent of {base} of the {where}"
    return Figure(reading, svg, NumberTable("bias" + suffix, caption, columns, lines))


def _bias_names(rows: Sequence[MeasureRow]) -> tuple[Sequence[tuple[str, str, str]], bool]:
    """Return name, measure and colour of each bias, and whether the biases are those of pairs."""
    paired = any(r.measure == "counterfactual_pro" and r.value is not None for r in rows)
    return (_PAIRS if paired else _SHARES), paired


def _title(paired: bool) -> str:
    pairs = "Pairs towards and away from the stereotype"
    return pairs if paired else "Answers with and against the stereotype"


def _has(own: dict[str, MeasureRow], names: Sequence[tuple[str, str, str]]) -> bool:
    return all(m in own and own[m].value is not None for _, m, _ in names)


def _accuracy_by_domain(rows: Sequence[MeasureRow], suffix: str, asked: str) -> Figure | None:
    accuracies = [r for r in rows if r.measure == "accuracy" and r.value is not None]
    domains = sorted({r.part for r in accuracies})
    if len(domains) < 2:
        return None
    short = short_names(list(dict.fromkeys(r.model for r in accuracies)), 15)
    groups = [
        PlotGroup(
            d, tuple(PlotRow(short[r.model], estimate(r), ANTI, n=r.n) for r in accuracies if r.part == d)
        )
        for d in domains
    ]
    title = "Accuracy by domain" + asked
    svg = interval_plot(groups, "per_cent", title, ["Right answers in per cent."], "items", (0, 1))
    columns = (Column("Domain"), Column("Model"), Column("Accuracy", "per_cent"), Column("Items", "count"))
    lines = tuple((d, model_label(r), estimate(r), r.n) for d in domains for r in accuracies if r.part == d)
    reading = "Compare the models within a domain, and a model across domains."
    return Figure(reading, svg, NumberTable("accuracy-by-domain" + suffix, title, columns, lines))


def _biases_by_domain(rows: Sequence[MeasureRow], suffix: str, asked: str) -> Figure | None:
    names, paired = _bias_names(rows)
    domains = sorted({r.part for r in rows})
    if len(domains) < 2:
        return None
    groups: list[PlotGroup] = []
    lines: list[Row] = []
    for domain in domains:
        here = [r for r in rows if r.part == domain]
        for label, listed in _by_model(here).items():
            own = {r.measure: r for r in listed}
            if not _has(own, names):
                continue
            short = short_names([listed[0].model], 22)[listed[0].model]
            bars = tuple(PlotRow(n, estimate(own[m]), c, "bar", own[m].n) for n, m, c in names)
            groups.append(PlotGroup(f"{domain}: {short}", bars))
            lines.append((domain, label, *(estimate(own[m]) for _, m, _ in names), own[names[0][1]].n))
    if not groups:
        return None
    title = f"{_title(paired)} by domain and model{asked}"
    svg = interval_plot(groups, "per_cent", title, ["In per cent of its items."], "items", (0.0, 0.05))
    heads = (
        Column("Domain"),
        Column("Model"),
        *(Column(MEASURES[m].shown_title, "per_cent") for _, m, _ in names),
    )
    table = NumberTable("bias-by-domain" + suffix, title, (*heads, Column("Items", "count")), tuple(lines))
    return Figure("The bars mean the same as in the figure by model, within each domain.", svg, table)


def _by_model(rows: Iterable[MeasureRow]) -> dict[str, list[MeasureRow]]:
    by_model: dict[str, list[MeasureRow]] = {}
    for row in rows:
        by_model.setdefault(model_label(row), []).append(row)
    return by_model
