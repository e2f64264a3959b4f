"""The figures of subjects with attributes: a view of the strongest links, and a heat map of γ."""

from __future__ import annotations

from collections.abc import Sequence

from nextset.auditing.audit_records import PreferenceRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.report.figure import Figure
from nextset.auditing.report.interval_plot import counts_text
from nextset.auditing.report.number_table import Column, Estimate, NumberTable, shown
from nextset.auditing.report.quad_figures import shown_preferences
from nextset.forms import FormName
from nextset.html.diverging_scale import diverging, hundredths
from nextset.html.plot_layers import Mark, draw, labels, rectangles, rules
from nextset.html.svg import ANTI, CELL_INK, INK, PRO, WIDTH
from nextset.html.text_width import shortened, text_width

__all__ = ["preference_figures"]

_LINKS, _SUBJECTS, _ATTRIBUTES = 14, 7, 12
"""The largest number of links in a view, and of columns and rows in a heat map."""
_STRONG, _LABEL, _CELL = 118, 112, 26
_DASH = (4, 3)


def preference_figures(audit: AuditTables, form: FormName) -> list[list[Figure]]:
    """Return the links and the heat map of each class of subjects and model asked in ``form``."""
    figures: list[list[Figure]] = []
    classes = dict.fromkeys(r.subject_class for r in audit.measures if r.form == form)
    for subject_class in classes:
        rows = [r for r in shown_preferences(audit, form, subject_class) if r.attribute]
        for place, model in enumerate(dict.fromkeys(r.model for r in rows), 1):
            own = sorted(
                (r for r in rows if r.model == model), key=lambda r: (-abs(r.gamma), r.subject, r.attribute)
            )
            name = f"{form}-{len(figures) + 1}-{place}"
            heading = f"{subject_class}, {model}" if subject_class else model
            directed = [r for r in own if r.gamma != 0]
            figures.append(
                [_links(directed[:_LINKS], len(own), heading, name), _heat_map(own, heading, name)]
            )
    return figures


def _table(name: str, caption: str, rows: Sequence[PreferenceRow]) -> NumberTable:
    columns = (
        Column("Subject"), Column("Attribute"), Column("γ", "fraction"), Column("η", "fraction"),
        Column("Quads", "count"),
    )  # fmt: skip
    lines = tuple(
        (
            r.subject, r.attribute, Estimate(r.gamma, r.gamma_low, r.gamma_high),
            Estimate(r.eta, r.eta_low, r.eta_high), r.n,
        )
        for r in rows
    )  # fmt: skip
    return NumberTable(name, caption, columns, lines)


def _links(rows: Sequence[PreferenceRow], of_all: int, of: str, name: str) -> Figure:
    """Draw the strongest links between subjects on the left and attributes on the right."""
    subjects = list(dict.fromkeys(r.subject for r in rows))
    attributes = list(dict.fromkeys(r.attribute for r in rows))
    height = 26 * max(len(subjects), len(attributes), 1) + 4
    left = {s: (i + 0.5) * height / len(subjects) for i, s in enumerate(subjects)}
    right = {a: (i + 0.5) * height / len(attributes) for i, a in enumerate(attributes)}
    most = max((abs(r.gamma) for r in rows), default=0.0) or 1.0
    layers = []
    for row in reversed(rows):
        line: Mark = {
            "x": _STRONG, "y": left[row.subject], "x2": WIDTH - 142, "y2": right[row.attribute],
            "colour": PRO if row.gamma > 0 else ANTI,
        }  # fmt: skip
        width = round(1 + 5 * abs(row.gamma) / most, 2)
        layers.append(rules([line], height, width=width, dash=() if row.gamma > 0 else _DASH))
    layers += [
        labels(
            [{"x": _STRONG - 6, "y": y, "text": shortened(s, 15)} for s, y in left.items()], height, "right"
        ),
        labels(
            [{"x": WIDTH - 136, "y": y, "text": shortened(a, 18)} for a, y in right.items()], height, "left"
        ),
    ]
    title = f"The {len(rows)} strongest links"
    if len(rows) == of_all:
        title = "The only link" if of_all == 1 else f"All {of_all} links"
    description = ", ".join(f"{r.subject} – {r.attribute} {shown(r.gamma, 'fraction')}" for r in rows)
    counts = counts_text([r.n for r in rows], "quads per link")
    subtitle = [shortened(of, 50), "Solid: goes with the subject. Dashed: against it.", counts]
    svg = draw(height, layers, title, subtitle, f"{title}, {of}. {description}")
    reading = (
        f"The links with the largest |γ|, of {of_all:,} pairs of a subject and an attribute; a thicker line "
        "is a stronger link. The largest of many values are also large by chance: see their intervals."
    )
    return Figure(reading, svg, _table(f"links-{name}", f"{title}: {of}", rows))


def _heat_map(rows: Sequence[PreferenceRow], of: str, name: str) -> Figure:
    """Draw γ of the subjects and attributes with the largest |γ|; ``rows`` are sorted by |γ|."""
    subjects = sorted(list(dict.fromkeys(r.subject for r in rows))[:_SUBJECTS])
    here = [r for r in rows if r.subject in subjects]
    attributes = sorted(list(dict.fromkeys(r.attribute for r in here))[:_ATTRIBUTES])
    here = [r for r in here if r.attribute in attributes]
    most = max((abs(r.gamma) for r in here), default=0.0) or 1.0
    top = 8 + max((text_width(shortened(s, 14)) for s in subjects), default=0) * 7.6
    step = (WIDTH - _LABEL) / max(1, len(subjects))
    height = round(top + _CELL * len(attributes) + 2)
    cells: list[Mark] = []
    numbers: list[Mark] = []
    for row in here:
        x, y = _LABEL + subjects.index(row.subject) * step, top + attributes.index(row.attribute) * _CELL
        colour = diverging(row.gamma / most)
        cells.append({"x": x + 1, "x2": x + step - 1, "y": y + 1, "y2": y + _CELL - 1, "colour": colour})
        numbers.append({"x": x + step / 2, "y": y + _CELL / 2, "text": hundredths(row.gamma)})
    columns = [
        {"x": _LABEL + (i + 0.5) * step, "y": top - 5, "text": shortened(s, 14)}
        for i, s in enumerate(subjects)
    ]
    lines = [
        {"x": 0, "y": top + (i + 0.5) * _CELL, "text": shortened(a, 15)} for i, a in enumerate(attributes)
    ]
    layers = [
        rectangles(cells, height),
        labels(numbers, height, "center", colour=CELL_INK),
        labels(columns, height, "left", angle=270, colour=INK),
        labels(lines, height, "left", colour=INK),
    ]
    title = "γ by subject and attribute"
    description = ", ".join(f"{r.subject} – {r.attribute} {shown(r.gamma, 'fraction')}" for r in here)
    counts = counts_text([r.n for r in here], "quads per cell")
    subtitle = [shortened(of, 50), "γ in hundredths.", counts]
    svg = draw(height, layers, title, subtitle, f"{title}, {of}. {description}")
    reading = (
        "Orange and positive: the attribute goes with the subject. Blue and negative: it goes with the "
        f"other subjects. The figure shows up to {_SUBJECTS} subjects and {_ATTRIBUTES} attributes with the "
        "largest |γ|; the audit's table preferences has all of them."
    )
    ordered = sorted(here, key=lambda r: (r.subject, r.attribute))
    return Figure(reading, svg, _table(f"heat-map-{name}", f"{title}: {of}", ordered))
