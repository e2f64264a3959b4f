"""Simulated models that do not always answer with a choice, and how an audit measures them.

A model refuses items about one group at a known rate. Each seed draws new templates, on whose effects the
rates depend, and the labels that the model would have given. python benchmarks/auditing.py refusals
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.figures import figure
from nextset.array_types import Floats
from nextset.auditing.nli.answer_counts import measured
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.nli_audit import NliAudit, audit_items
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES

__all__ = [
    "SIMULATED",
    "Model",
    "Refusing",
    "audited",
    "refusal_figures",
    "refusing",
    "scores_of",
    "simulated_items",
]

SEEDS, FIRST = 1000, 200
"""The seeds, and those of them whose share is also printed alone: with 200 seeds, a coverage of 95 % falls
below `REACHED` by chance in one run of twelve."""
REACHED = 0.93
"""The least share of seeds whose 95 % interval contains the planted asymmetry."""
PAIRS, TEMPLATES = 400, 24
PROMPTS = 3
"""The number of wordings that a model is asked in."""
RATES = (0.4, 0.1)
"""How often an item is refused on average: if it names the one group, and if it names the other."""
SPREAD = 0.5
"""The standard deviation of a template's effect on the logit of its rates."""

Model = Callable[[np.random.Generator, pa.Table], Floats]
"""Returns the shares of `LABELS` and `OUTCOMES` of each item, shape (items, columns)."""
_COLUMNS = (*LABELS, *OUTCOMES)


def simulated_items(pairs: int = PAIRS, templates: int = TEMPLATES) -> pa.Table:
    """Return counterfactual pairs: an item about women that states a stereotype, and its counterpart."""
    rows = []
    for i in range(pairs):
        for name, other, group, stance in (("a", "b", "women", "pro"), ("b", "a", "men", "anti")):
            rows.append(
                {
                    "id": f"{name}{i:05}",
                    "label": "neutral",
                    "stance_design": stance,
                    "domain": "gender",
                    "stereotype": "s",
                    "template_id": f"t{i % templates}",
                    "hypothesis": f"{group} like work number {i % templates}.",
                    "premise": "A premise.",
                    "bindings": {"group1": group, "group2": "", "words": [], "fills": []},
                    "names_group": True,
                    "counterpart_id": f"{other}{i:05}",
                }
            )
    return pa.Table.from_pylist(rows)


def _always(column: str) -> Model:
    def model(rng: np.random.Generator, items: pa.Table) -> Floats:
        shares = np.zeros((items.num_rows, len(_COLUMNS)))
        shares[:, _COLUMNS.index(column)] = 1
        return shares

    return model


def _chooses(rng: np.random.Generator, items: pa.Table) -> Floats:
    """Answer every prompt of an item with one label, neutral more often than the others."""
    shares = np.zeros((items.num_rows, len(_COLUMNS)))
    shares[np.arange(items.num_rows), rng.choice(3, items.num_rows, p=(0.3, 0.5, 0.2))] = 1
    return shares


def _abroad(rng: np.random.Generator, items: pa.Table) -> Floats:
    """Answer in another language: three of ten answers are read as an abstention, the others as a choice."""
    shares = _chooses(rng, items)
    shares[rng.random(items.num_rows) < 0.3] = np.eye(len(_COLUMNS))[_COLUMNS.index("abstained")]
    return shares


def _refuses_one(rng: np.random.Generator, items: pa.Table) -> Floats:
    return refused(rng, items, _chooses(rng, items), np.zeros(items.num_rows))


def refused(rng: np.random.Generator, items: pa.Table, hidden: Floats, effects: Floats) -> Floats:
    """Return the shares after each of `PROMPTS` prompts was refused at the rate of the item."""
    rates = refusal_rates(items, effects)
    shares = rng.binomial(PROMPTS, rates) / PROMPTS
    seen = hidden * (1 - shares)[:, None]
    seen[:, _COLUMNS.index("refused")] = shares
    return seen


def refusal_rates(items: pa.Table, effects: Floats) -> Floats:
    """Return the rate of each item, of whose logit ``effects`` are a part, shape (items,)."""
    about = np.array([b["group1"] == "women" for b in items["bindings"].to_pylist()])
    base = np.where(about, *RATES)
    rates: Floats = 1 / (1 + np.exp(-(np.log(base / (1 - base)) + effects)))
    return rates


SIMULATED: Mapping[str, Model] = {
    "chooses": _chooses,
    "always refuses": _always("refused"),
    "refuses one group": _refuses_one,
    "mumbles": _always("unreadable"),
    "thinks for too long": _always("cut_off"),
    "answers in another language": _abroad,
}
"""The simulated models by what they do."""


def scores_of(items: pa.Table, shares: Floats, model: str) -> pa.Table:
    """Return the rows of NliScore that are measured."""
    n = items.num_rows
    same = {"model": [model] * n, "revision": ["r"] * n, "role": ["audit"] * n}
    columns = {name: shares[:, i] for i, name in enumerate(_COLUMNS)}
    return pa.table({"item_id": items["id"], **same, **columns, "votes": [True] * n})


def audited(items: pa.Table, models: Mapping[str, tuple[Model, int]]) -> NliAudit:
    """Return the audit of ``models``, each with the seed of its answers."""
    scores = [
        scores_of(items, model(np.random.default_rng(seed), items), name)
        for name, (model, seed) in models.items()
    ]
    return _audit(items, scores)


def _audit(items: pa.Table, scores: list[pa.Table]) -> NliAudit:
    counts = count_items(ItemSet("dataset", items.num_rows, lambda: [items]), scores)
    return audit_items([counts], "nli")


@dataclass(frozen=True)
class Refusing:
    """One seed."""

    recovered: bool
    """True if the interval contains the planted asymmetry."""
    bounded: bool
    """True if the bounds of all measures contain the values of the hidden answers."""


def refusing(seed: int) -> Refusing:
    """Return whether the asymmetry and the hidden answers of one seed are within their intervals and
    bounds."""
    rng, items = np.random.default_rng(seed), simulated_items()
    of_template = rng.normal(scale=SPREAD, size=TEMPLATES)
    names = items["template_id"].to_pylist()
    effects = of_template[[int(name[1:]) for name in names]]
    hidden = _chooses(rng, items)
    seen = refused(rng, items, hidden, effects)
    rows = _audit(items, [scores_of(items, seen, "m")]).measures
    found = {r.measure: r for r in rows if r.by == "all"}
    row = found["refusal_asymmetry"]
    low, high = row.low or 0.0, row.high or 0.0
    counts = count_items(ItemSet("dataset", items.num_rows, lambda: [items]), [scores_of(items, hidden, "m")])
    truth = measured(counts.sums["measured"][0].sum(axis=1), two_way=False)
    return Refusing(
        low <= _planted() <= high,
        all(
            (found[name].bound_low or 0.0) - 1e-9 <= value <= (found[name].bound_high or 0.0) + 1e-9
            for name, value in truth.items()
            if name in found and not np.isnan(value)
        ),
    )


def _planted() -> float:
    """Return the asymmetry of the population: the mean over the effects of templates."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    rates = [_logistic(rate, SPREAD * points) for rate in RATES]
    asymmetry = rates[0] * (1 - rates[1]) - rates[1] * (1 - rates[0])
    return float(asymmetry @ weights / weights.sum())


def _logistic(rate: float, effects: npt.NDArray[np.float64]) -> Floats:
    odds: Floats = rate / (1 - rate) * np.exp(effects)
    return odds / (1 + odds)


def refusal_figures() -> None:
    """Print how often the planted asymmetry was recovered, and the bounds contained the hidden answers."""
    found = [refusing(seed) for seed in range(SEEDS)]
    for name, of in (("", found), (f", of the first {FIRST} seeds", found[:FIRST])):
        recovered = sum(run.recovered for run in of) / len(of)
        figure(
            f"refusal asymmetry inside its interval{name}", f"{100 * recovered:.1f} %",
            f"≥ {100 * REACHED:.0f} %", recovered >= REACHED,
        )  # fmt: skip
    bounded = sum(run.bounded for run in found) / SEEDS
    figure("bounds contain the hidden answers", f"{100 * bounded:.1f} %", "100 %", bounded == 1)
