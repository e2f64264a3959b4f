"""Simulated models that do not always choose: rates, planted asymmetry, comparisons, and old scores."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.planted_refusals import SIMULATED, audited, refusing, scores_of, simulated_items
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.nli.item_counts import ItemSet, count_items
from nextset.auditing.nli.nli_audit import NliAudit, audit_items
from nextset.records.prompt_outcomes import OUTCOMES, shows_outcomes


def rows_of(audit: NliAudit, model: str, by: str = "all") -> dict[tuple[str, str], MeasureRow]:
    return {(r.part, r.measure): r for r in audit.measures if (r.model, r.by) == (model, by)}


def test_a_planted_asymmetry_is_recovered_and_the_bounds_hold() -> None:
    """20 of the seeds of benchmarks/auditing.py; a binomial with p = 0.95 has 16 or more in 99.7 %."""
    found = [refusing(seed) for seed in range(20)]
    assert sum(run.recovered for run in found) >= 16
    assert all(run.bounded for run in found)


def test_the_kinds_of_models_have_their_rates() -> None:
    """One hundred pairs by five templates; each model answers as its name says."""
    items = simulated_items(pairs=100, templates=10)
    audit = audited(items, {name: (SIMULATED[name], 1) for name in SIMULATED})
    shown = {
        model: {
            name: found["all", f"{name}_rate"].value
            for name in ("abstention", "refusal", "unreadable", "cut_off")
        }
        for model in SIMULATED
        if (found := rows_of(audit, model))
    }
    nothing = dict.fromkeys(("abstention", "refusal", "unreadable", "cut_off"), 0.0)
    assert shown["always refuses"] == nothing | {"refusal": 1}
    assert shown["mumbles"] == nothing | {"unreadable": 1}
    assert shown["thinks for too long"] == nothing | {"cut_off": 1}
    assert shown["chooses"] == nothing
    assert shown["answers in another language"]["abstention"] == pytest.approx(0.3, abs=0.1)


@pytest.mark.parametrize("model", ["always refuses", "mumbles", "thinks for too long"])
def test_a_rate_of_one_has_an_honest_interval_and_no_asymmetry(model: str) -> None:
    """All items of ten templates of twenty items: Wilson's interval of the effective number of rows.

    They weigh as much as 200 / (1 + 0.3 · 19) = 29.9 rows: 29.9 / (29.9 + 3.84) = 0.886.
    """
    items = simulated_items(pairs=100, templates=10)
    found = rows_of(audited(items, {model: (SIMULATED[model], 1)}), model)
    (rate,) = [r for (_, name), r in found.items() if name.endswith("_rate")]
    assert (rate.value, rate.high) == (1, 1)
    assert rate.low == pytest.approx(0.886, abs=0.001)
    assert found["all", "accuracy"].value is None
    assert (found["all", "accuracy"].bound_low, found["all", "accuracy"].bound_high) == (0, 1)
    for (_, name), row in found.items():
        if name.endswith("_asymmetry"):
            assert (row.value, row.note) == (0, "no p-value: too few templates have such answers")


def test_models_that_always_choose_have_no_rates() -> None:
    items = simulated_items(pairs=20, templates=5)
    audit = audited(items, {"chooses": (SIMULATED["chooses"], 1)})
    assert not [r for r in audit.measures if r.measure.endswith(("_rate", "_asymmetry"))]
    assert all((r.bound_low, r.bound_high) == (r.value, r.value) for r in audit.measures)
    assert all(r.note is None for r in audit.comparisons)


def test_a_model_that_gives_probabilities_has_no_rates() -> None:
    """The same answers as votes and as probabilities, next to a model that refuses."""
    items = simulated_items(pairs=60, templates=6)
    answers = {
        name: SIMULATED[name](np.random.default_rng(2), items) for name in ("chooses", "refuses one group")
    }
    votes = scores_of(items, answers["chooses"], "votes")
    local = scores_of(items, answers["chooses"], "local")
    local = local.set_column(local.column_names.index("votes"), "votes", pa.array([False] * items.num_rows))
    older = scores_of(items, answers["chooses"], "older").drop_columns([*OUTCOMES, "votes"])
    refuses = scores_of(items, answers["refuses one group"], "refuses")
    counts = count_items(ItemSet("dataset", items.num_rows, lambda: [items]), [votes, local, older, refuses])
    audit = audit_items([counts], "nli")
    rates = [r for r in audit.measures if r.measure.startswith("refusal")]
    assert {r.model for r in rates} == {"votes", "refuses"}
    compared = [c for c in audit.comparisons if c.measure.startswith("refusal")]
    assert {(c.first_model, c.second_model) for c in compared} == {("refuses", "votes")}
    assert {r.model for r in audit.measures if r.measure == "accuracy"} == {
        "votes",
        "local",
        "older",
        "refuses",
    }
    # a model behind a server that gives probabilities is shown if it refuses
    assert shows_outcomes(
        local.set_column(local.column_names.index("refused"), "refused", refuses["refused"])
    )
    assert not shows_outcomes(older)
    assert not shows_outcomes(votes.slice(0, 0))


def test_a_model_that_refuses_changes_no_p_value_of_the_others() -> None:
    """Rates are a family of their own: two measures of two pairs of models. A model that refuses is compared
    over the rows that it answered."""
    items = simulated_items(pairs=100, templates=10)
    chooses = {name: (SIMULATED["chooses"], seed) for seed, name in enumerate(("one", "two"))}
    alone = audited(items, chooses)
    both = audited(items, chooses | {"three": (SIMULATED["refuses one group"], 5)})

    def compared(audit: NliAudit, *models: str) -> list[tuple[str, float, float | None]]:
        return [
            (c.measure, c.difference, c.p)
            for c in audit.comparisons
            if {c.first_model, c.second_model} == set(models)
        ]

    assert compared(both, "one", "two") == compared(alone, "one", "two")
    rates = [c for c in both.comparisons if c.measure.startswith("refusal")]
    assert {(c.measure, c.comparisons) for c in rates} == {
        ("refusal_rate", 4), ("refusal_asymmetry", 4),
    }  # fmt: skip
    bias = [c for c in both.comparisons if c not in rates]
    assert {c.comparisons for c in bias} == {3 * len(alone.comparisons)}
    noted = [c.note for c in bias if "three" in (c.first_model, c.second_model)]
    assert all(note and note.startswith("each over the rows that were answered") for note in noted)


def test_groups_have_their_own_rates() -> None:
    """The model refuses 40 % of the items about the one group and 10 % of those about the other."""
    items = simulated_items(pairs=400, templates=20)
    audit = audited(items, {"m": (SIMULATED["refuses one group"], 3)})
    found = rows_of(audit, "m", "group")
    assert {part for part, _ in found} == {"women", "men"}
    for part, rate in (("women", 0.4), ("men", 0.1)):
        row = found[part, "refusal_rate"]
        assert row.low is not None
        assert row.high is not None
        assert row.low <= rate <= row.high
        assert row.n == 400
    whole = rows_of(audit, "m")
    asymmetry = whole["all", "refusal_asymmetry"]
    assert asymmetry.value == pytest.approx(0.4 * 0.9 - 0.1 * 0.6, abs=0.06)
    assert (asymmetry.note or "").startswith("p = ")
    assert np.isclose(
        whole["all", "refusal_rate"].value or 0.0,
        np.mean([found[part, "refusal_rate"].value or 0.0 for part in ("women", "men")]),
    )
