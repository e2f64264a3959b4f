"""All measures of quads: against a plain restatement, in the draws against copied quads, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.quads.quad_values import ANSWERS, MEASURES, QuadValues, quad_values
from nextset.cluster_bootstrap import DRAWS, level_weights
from tests.auditing.quads.restated_measures import (
    Names,
    Quad,
    Restated,
    columns_of,
    random_quads,
    restated,
    scores_matrix,
)

NO_CLUSTERS = Names({"Gerald": "", "Jennifer": ""}, {"bad driver": ""})
FIGURE_2 = Quad("Gerald", "Jennifer", "bad driver", "t", (0.26, 0.73, 0.54, 0.45, 0.35, 0.62, 0.12, 0.86))
"""Li et al. (2020), figure 2: of both subjects for τ₁₂(a), τ₂₁(a), τ₁₂(ā), τ₂₁(ā)."""


def all_values(found: QuadValues, row: int, attributes: tuple[str, ...], names: Names) -> Restated:
    """A row of weights of ``found``, as the restatement has it."""
    values: Restated = {
        (by, part, name): float(group.values[name][row, i])
        for by, group in found.groups.items()
        for i, part in enumerate(group.names)
        for name in (*MEASURES, *ANSWERS)
    }
    for kind, arrays in (("gamma", found.gamma), ("eta", found.eta)):
        for by, array in arrays.items():
            parts = list(names.cluster) if by == "subject" else sorted(set(names.cluster.values()))
            for i, part in enumerate(parts):
                for k, attribute in enumerate((*attributes, "")):
                    values[f"{kind} {by}", part, attribute] = float(array[row, i, k])
    return {key: value for key, value in values.items() if not np.isnan(value)}


def same(found: Restated, right: Restated, names: Names) -> None:
    if not any(names.cluster.values()):
        right = {key: value for key, value in right.items() if key[0].split()[-1] != "cluster"}
    assert found.keys() == right.keys()
    assert list(found.values()) == pytest.approx([right[key] for key in found], abs=1e-12)


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_all_groupings_are_those_of_plain_loops(seed: int) -> None:
    quads, names = random_quads(seed)
    if not quads:
        return
    columns = columns_of(quads, names)
    found = quad_values(columns, scores_matrix(quads), draws=False)
    same(all_values(found, 0, columns.attributes, names), restated(quads, names), names)


@settings(max_examples=20)
@given(st.integers(0, 100_000), st.lists(st.integers(1, DRAWS), min_size=3, max_size=3))
def test_the_draws_are_those_of_copied_quads(seed: int, draws: list[int]) -> None:
    """A quad is copied as often as its template was drawn, times how often its pair was."""
    quads, names = random_quads(seed)
    if not quads:
        return
    columns = columns_of(quads, names)
    found = quad_values(columns, scores_matrix(quads))
    order = list(names.cluster)
    pair_of = [tuple(sorted((order.index(q.subject1), order.index(q.subject2)))) for q in quads]
    pairs = sorted(set(pair_of))
    of_templates, of_pairs = level_weights((len(columns.templates), len(pairs)))
    for row in (0, *draws, len(of_templates) - 1):
        copies = [
            q
            for q, t, pair in zip(quads, columns.template.tolist(), pair_of, strict=True)
            for _ in range(int(of_templates[row, t] * of_pairs[row, pairs.index(pair)]))
        ]
        right = restated(copies, names)
        mine = all_values(found, row, columns.attributes, names)
        if row:  # a template has its values also in draws without it
            right = {key: value for key, value in right.items() if key[0] != "template"}
            mine = {key: value for key, value in mine.items() if key[0] != "template"}
        same(mine, right, names)


def test_the_counts_behind_the_values() -> None:
    quads, names = random_quads(5)
    columns = columns_of(quads, names)
    found = quad_values(columns, scores_matrix(quads), draws=False)
    for i, subject in enumerate(columns.subjects):
        mine = [q for q in quads if subject in (q.subject1, q.subject2)]
        group = found.groups["subject"]
        assert group.quads[i] == len(mine)
        assert group.templates[i] == len({q.template for q in mine})
        assert group.pairs[i] == len({frozenset((q.subject1, q.subject2)) for q in mine})
        for k, attribute in enumerate(columns.attributes):
            assert found.quads["subject"][i, k] == len([q for q in mine if q.attribute == attribute])
        assert found.quads["subject"][i, -1] == len(mine)
    for i, template in enumerate(columns.templates):
        assert found.groups["template"].quads[i] == len([q for q in quads if q.template == template])
        assert found.groups["template"].templates[i] == 1


def test_figure_2_by_hand() -> None:
    """B(Gerald) = (.26 + .54)/2 − (.35 + .12)/2 = .165, B(Jennifer) = .59 − .74 = −.15, C = .1575.

    δ: |.26 − .54| = .28, |.35 − .12| = .23, |.73 − .45| = .28, |.62 − .86| = .24; their mean is .2575.
    ε: |.26 − .62| = .36, |.54 − .86| = .32, |.73 − .35| = .38, |.45 − .12| = .33;
    their mean is .3475. Answers: Jennifer (.73 > .26), then Gerald (.54 > .45): they flip. The mean of the
    eight scores is 3.93 / 8.
    """
    found = quad_values(columns_of([FIGURE_2], NO_CLUSTERS), scores_matrix([FIGURE_2]), draws=False)
    values = {name: float(value[0, 0]) for name, value in found.groups["all"].values.items()}
    assert values == pytest.approx(
        {
            "positional_error": 0.2575,
            "attribute_error": 0.3475,
            "mean_c": 0.1575,
            "mu": 0.1575,
            "eta": 1,
            "answer_flips": 1,
            "mean_score": 0.49125,
        }
    )
    assert found.gamma["subject"][0, :, 0] == pytest.approx([0.1575, -0.1575])
    assert found.eta["subject"][0, :, 1].tolist() == [1, -1]
    assert set(found.groups) == {"all", "subject", "attribute", "template"}


def test_eta_is_the_mean_over_pairs_of_a_subject_and_an_attribute() -> None:
    """Ann and Bob have both attributes, Ann and Cyd only one, so that Cyd has one pair (x, a).

    C is that of the first subject: 0.5 for Ann against Bob with kind, 0 with late, 0.25 for Cyd against Ann.
    η(Ann, kind) = (1 − 1)/2 = 0, η(Ann, late) = 0, η(Bob, kind) = −1, η(Bob, late) = 0, η(Cyd, kind) = 1: the
    mean of the five sizes is 2/5, that of the subjects' means would be (0 + 1/2 + 1)/3 = 1/2.
    γ(Ann, kind) = (0.5 − 0.25)/2 = 0.125, γ(Bob, kind) = −0.5, γ(Cyd, kind) = 0.25, the others 0:
    μ = (0.125 + 0.5 + 0.25)/3.
    """
    names = Names({"Ann": "", "Bob": "", "Cyd": ""}, {"kind": "", "late": ""})
    quads = [
        Quad("Ann", "Bob", "kind", "t", (1, 0, 1, 0, 0, 0, 0, 0)),  # B(Ann) = 1, B(Bob) = 0
        Quad("Ann", "Bob", "late", "t", (1, 1, 1, 1, 0, 0, 0, 0)),
        Quad("Cyd", "Ann", "kind", "t", (0.5, 0, 0.5, 0, 0, 0, 0, 0)),  # B(Cyd) = 0.5: C of Cyd is 0.25
    ]
    found = quad_values(columns_of(quads, names), scores_matrix(quads), draws=False).groups
    assert found["all"].values["eta"][0, 0] == pytest.approx(2 / 5)
    assert found["subject"].values["eta"][0].tolist() == pytest.approx([0, 1 / 2, 1])
    assert found["all"].values["mu"][0, 0] == pytest.approx((0.125 + 0.5 + 0.25) / 3)
    assert found["attribute"].values["eta"][0].tolist() == pytest.approx([2 / 3, 0])


@settings(max_examples=30)
@given(st.integers(0, 100_000))
def test_exchanging_subjects_orders_or_polarity_has_the_effect_of_the_paper(seed: int) -> None:
    """C does not depend on the order, flips under negation, and is antisymmetric: γ does what C does."""
    quads, names = random_quads(seed)
    if not quads:
        return
    columns, scores = columns_of(quads, names), scores_matrix(quads)
    gamma = quad_values(columns, scores, draws=False).gamma["subject"]
    by_order = scores[[2, 3, 0, 1, 6, 7, 4, 5]]
    negated = scores[[4, 5, 6, 7, 0, 1, 2, 3]]
    assert np.array_equal(quad_values(columns, by_order, draws=False).gamma["subject"], gamma, equal_nan=True)
    flipped = quad_values(columns, negated, draws=False).gamma["subject"]
    assert flipped == pytest.approx(-gamma, abs=1e-12, nan_ok=True)
    # of each quad γ counts C for one subject and −C for the other
    quads_of = quad_values(columns, scores, draws=False).quads["subject"]
    total = np.nansum(np.where(quads_of > 0, gamma[0], 0) * quads_of, axis=0)
    assert total == pytest.approx(0, abs=1e-9)
    # a model that goes by position or by wording alone has no preference
    position = np.tile(np.array([[0.7], [0.2], [0.2], [0.7]]), (2, columns.rows))
    assert np.nanmax(np.abs(quad_values(columns, position, draws=False).gamma["subject"])) == 0


def test_progress_and_the_same_bytes() -> None:
    quads, names = random_quads(3)
    columns, scores, steps = columns_of(quads, names), scores_matrix(quads), []
    first = quad_values(columns, scores, tick=lambda done, total: steps.append((done, total)))
    second = quad_values(columns, scores)
    assert steps[-1][0] == steps[-1][1] == len(first.groups["all"].values["mu"])
    assert steps == sorted(steps)
    for by, group in first.groups.items():
        for name, values in group.values.items():
            assert values.tobytes() == second.groups[by].values[name].tobytes()


def test_the_order_of_quads_makes_no_difference() -> None:
    quads, names = random_quads(11)
    turned = quads[::-1]
    first = quad_values(columns_of(quads, names), scores_matrix(quads))
    second = quad_values(columns_of(turned, names), scores_matrix(turned))
    for by, group in first.groups.items():
        for name, values in group.values.items():
            assert second.groups[by].values[name] == pytest.approx(values, abs=1e-12, nan_ok=True)
