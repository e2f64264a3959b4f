"""How often intervals miss the truth, and how often comparisons find a difference where there is none.

Each world draws new templates and new answers; the truth is known. python benchmarks/auditing.py errors
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, Python would put benchmarks/ before the clone's root on its path.
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
from scipy.stats import t as student

from benchmarks.figures import figure
from nextset.array_types import Floats
from nextset.auditing.audit_records import MeasureRow, PreferenceRow
from nextset.auditing.model_comparisons import compare_models, compare_sets
from nextset.auditing.nli.answer_counts import COUNTS, MEASURES
from nextset.auditing.nli.item_counts import Cluster, CountedModel, ItemCounts
from nextset.auditing.nli.item_measure_rows import Series, measure_rows, measures_of
from nextset.auditing.nli.judged_weights import MEASURED
from nextset.auditing.nli.nli_audit import compared_items, set_changes
from nextset.auditing.quads.class_values import class_values
from nextset.auditing.quads.quad_audit import audit_quads
from nextset.auditing.quads.quad_columns import QuadColumns, QuadModel, QuadSet
from nextset.bootstrap_intervals import raised_intervals
from nextset.extensions.interventions.audit.intervention_records import InterventionSeries
from nextset.extensions.interventions.audit.paired_changes import paired_changes
from nextset.extensions.interventions.intervention import Intervention

__all__ = ["error_figures"]

WORLDS = 200
NOMINAL = 0.05
FAMILY_WISE = 0.065
"""The most families of comparisons with a finding where there is no difference."""
COVERED = (0.93, 0.97)
"""The share of intervals that hold the truth."""
WIDTH = 1.3
"""The most that an interval's mean width may be, as a multiple of a t interval with the true standard
error."""
SUBJECTS, ATTRIBUTES = 10, 6
"""Of the sets of questions; all pairs of subjects are asked about."""
PLACE = {name: i for i, name in enumerate(COUNTS)}


def error_figures() -> None:
    """Print all figures."""
    _families()
    _shares()
    _few_templates()
    _bias_intensity()


# --- comparisons where there is no difference


@dataclass(frozen=True)
class Answers:
    """How wrong models are in worlds without differences between them."""

    wrong: float
    """The mean share of wrong answers of a template."""
    alike: float
    """The correlation of the answers of a template."""


KINDS = (Answers(0.3, 0.15), Answers(0.05, 0.25), Answers(0.01, 0.3))
"""Many, few and very few wrong answers."""


def _families() -> None:
    kinds: dict[str, Callable[[np.random.Generator, int, Answers], bool]] = {
        **{f"{n} models": lambda rng, t, k, n=n: _models(rng, t, k, n) for n in (2, 3, 5)},  # type: ignore[misc]
        "two sets": _sets,
        "five sentences": _sentences,
    }
    pooled = []
    for name, finds in kinds.items():
        for templates in (8, 40):
            findings = [
                finds(np.random.default_rng((world, templates, place)), templates, kind)
                for place, kind in enumerate(KINDS)
                for world in range(WORLDS)
            ]
            pooled += findings
            share = float(np.mean(findings))
            figure(
                f"findings without a difference, {name}, {templates} templates", 100 * share,
                f"≤ {100 * FAMILY_WISE:g} %", share <= FAMILY_WISE, "%",
            )  # fmt: skip
    share = float(np.mean(pooled))
    figure("findings without a difference, all", 100 * share, "measured only", True, "%")


def _models(rng: np.random.Generator, templates: int, answers: Answers, n: int) -> bool:
    counts = _counts("set", _answered(rng, templates, answers, n))
    return any(_found(row.p_corrected) for row in compare_models(compared_items(counts, "nli")))


def _sets(rng: np.random.Generator, templates: int, answers: Answers) -> bool:
    """Two sets of items of the same templates, answered by two models that do not change."""
    sizes = rng.integers(4, 40, templates)
    law = [_law(rng, templates, answers) for _ in range(2)]
    sides = [
        _counts(name, np.array([_sums(rng, sizes, *of_model) for of_model in law])) for name in ("old", "new")
    ]
    return any(_found(row.p_corrected) for row in compare_sets(set_changes(*sides, "nli")))


def _sentences(rng: np.random.Generator, templates: int, answers: Answers) -> bool:
    """Five sentences that change answers, but no measure on average."""
    sums = _answered(rng, templates, answers, 6)
    by_arm = measures_of(_counts("set", sums), MEASURED, range(templates))
    series = [
        _series(f"s{arm}", measure, by_arm[arm if added else 0][measure], added=added)
        for arm in range(1, 6)
        for measure in MEASURES
        for added in (False, True)
    ]
    interventions = {f"s{arm}": _intervention(f"s{arm}") for arm in range(1, 6)}
    rows = [row for row in paired_changes([series], interventions) if row.intervention]
    return any(_found(row.p_corrected) for row in rows)


def _found(p: float | None) -> bool:
    return p is not None and p < NOMINAL


def _series(arm: str, measure: str, drawn: Series, *, added: bool) -> InterventionSeries:
    return InterventionSeries(
        form="nli", language="en", part="gender", selection="all", model="m", kind="ethical",
        place="before_context", intervention=arm, sentences=1, added=added, measure=measure,
        n=100, unanswered=0,
        sizes=(drawn.clusters,), effective_rows=drawn.support.rows,
        effective_templates=drawn.support.clusters, of_templates=tuple(drawn.support.values.tolist()),
        cell_quads=None, values=tuple(drawn.values.tolist()), raised=(), null=(),
    )  # fmt: skip


def _intervention(name: str) -> Intervention:
    return Intervention(
        id=name, language="en", kind="ethical", name=name, text="x", place="before_context", join=" ",
        classes=("club",), attribute_clusters=(), domains=(), source="", held_out=False,
    )  # fmt: skip


def _answered(rng: np.random.Generator, templates: int, answers: Answers, models: int) -> Floats:
    """Return the counts of models that err in other templates, but equally often on average."""
    sizes = rng.integers(4, 40, templates)
    return np.array([_sums(rng, sizes, *_law(rng, templates, answers)) for _ in range(models)])


def _law(rng: np.random.Generator, templates: int, answers: Answers) -> tuple[Floats, Floats]:
    """Return the share of wrong answers of each template, and of pro answers among these."""
    size = (1 - answers.alike) / answers.alike
    wrong = rng.beta(answers.wrong * size, (1 - answers.wrong) * size, templates)
    return wrong, rng.beta(3, 3, templates)


def _sums(rng: np.random.Generator, sizes: np.ndarray, wrong: Floats, pro: Floats) -> Floats:
    sums = np.zeros((len(COUNTS), len(sizes)))
    errors = rng.binomial(sizes, wrong)
    pros = rng.binomial(errors, pro)
    for name, counts in {
        "items": sizes, "rows": sizes, "right": sizes - errors, "not_neutral": errors,
        "pro": pros, "anti": errors - pros,
    }.items():  # fmt: skip
        sums[PLACE[name]] = counts
    return sums


def _counts(name: str, sums: Floats) -> ItemCounts:
    n = sums.shape[2]
    clusters = tuple(Cluster("s", f"t{i:03}", "d") for i in range(n))
    models = tuple(CountedModel(f"m{i}", "audit", "0", two_way=False) for i in range(len(sums)))
    return ItemCounts(name, clusters, models, {MEASURED: sums}, np.zeros(n), np.zeros(n))


# --- intervals of shares and differences of items


def _shares() -> None:
    """Eight templates of unequal size."""
    hits: dict[str, list[bool]] = defaultdict(list)
    answers = Answers(0.3, 0.2)
    for world in range(5 * WORLDS):
        rng = np.random.default_rng((world, 7))
        sizes = np.maximum(2, rng.lognormal(3, 1, 8)).astype(np.int64)
        counts = _counts("set", _sums(rng, sizes, *_law(rng, 8, answers))[None])
        truth = {"accuracy": 0.7, "pro": 0.15, "anti": 0.15, "aggregate": 0.0}
        for row in measure_rows(counts, "nli", "all"):
            if row.measure in truth:
                hits[row.measure].append(_holds(row, truth[row.measure]))
    for measure, held in hits.items():
        share = float(np.mean(held))
        figure(f"8 unequal templates, {measure}: coverage", 100 * share, "≥ 93 %", share >= COVERED[0], "%")


# --- intervals of questions


@dataclass(frozen=True)
class Preferences:
    """The law of a world of questions: its preferences, and how templates and questions vary."""

    name: str
    size: float
    """The standard deviation of the preferences; of the one strong preference of a subject if alone."""
    alone: bool
    templates: float
    """The standard deviation of a template's preferences."""
    questions: float = 0.05
    """The standard deviation of a question."""


STRONG = Preferences("one strong preference a subject", 0.12, alone=True, templates=0.05)
WORLD_KINDS = (
    STRONG,
    replace(STRONG, name="the same, templates vary much", templates=0.12),
    Preferences("many preferences", 0.08, alone=False, templates=0.05),
    Preferences("many preferences, templates vary much", 0.08, alone=False, templates=0.12),
)
FAIR = Preferences("no preference", 0.0, alone=False, templates=0.08)
MODEL = QuadModel("audit", "m", "0")


def _few_templates() -> None:
    kind = Preferences("", 0.1, alone=False, templates=0.1)
    for templates in (2, 3, 4, 8):
        held: dict[str, list[bool]] = defaultdict(list)
        for world in range(WORLDS):
            asked, truth = _world(np.random.default_rng((world, templates, 1)), kind, templates)
            audit = audit_quads([asked])
            (error,) = [r for r in audit.measures if (r.by, r.measure) == ("all", "positional_error")]
            held["δ"].append(_holds(error, truth.positional))
            for row in audit.preferences:
                if row.by == "cluster" and row.subject == "one" and row.attribute == "a0":
                    held["γ of a cluster"].append(_preference_holds(row, truth.cluster))
        for name, hits in held.items():
            share = float(np.mean(hits))
            figure(
                f"{templates} templates, {name}: coverage", 100 * share, "≥ 93 %", share >= COVERED[0], "%"
            )


def _bias_intensity() -> None:
    for templates in (4, 8, 40):
        for kind in (*WORLD_KINDS, FAIR):
            worlds = [
                _intensity(np.random.default_rng((world, templates, 2)), kind, templates)
                for world in range(WORLDS)
            ]
            _print_intensity(f"μ, {templates} templates, {kind.name}", templates, np.array(worlds))


def _intensity(rng: np.random.Generator, kind: Preferences, templates: int) -> tuple[float, ...]:
    """Return μ of a new world, its value, and the ends of its interval."""
    asked, truth = _world(rng, kind, templates)
    columns = asked.columns
    of_class = class_values(columns, np.arange(columns.rows), asked.scores[MODEL]())
    raised = of_class.raised["mu"]
    sizes = (of_class.templates, of_class.pairs)
    interval = raised_intervals(raised.linear, sizes, raised.raised, raised.null)
    return truth.intensity, float(raised.linear[0, 0]), float(interval.low[0]), float(interval.high[0])


def _print_intensity(name: str, templates: int, worlds: Floats) -> None:
    truth, value, low, high = worlds.T
    share = float(np.mean((low <= truth) & (truth <= high)))
    if not truth.any():
        figure(f"{name}: lower end 0", 100 * share, "≥ 93 %", share >= COVERED[0], "%")
        return
    least, most = COVERED
    goal = f"{100 * least:g}–{100 * most:g} %"
    figure(f"{name}: coverage", 100 * share, goal, least <= share <= most, "%")
    needed = 2 * float(student.ppf(0.975, templates - 1)) * float(np.std(value - truth))
    width = float(np.mean(high - low))
    figure(f"{name}: width", width / needed, f"≤ {WIDTH:g} × needed", width <= WIDTH * needed, "×")
    figure(f"{name}: lower end 0", 100 * float(np.mean(low == 0)), "measured only", True, "%")


@dataclass(frozen=True)
class Truth:
    """What a world's intervals should hold."""

    intensity: float
    """μ."""
    cluster: float
    """γ of the first cluster of subjects for the first attribute."""
    positional: float
    """δ."""


def _world(rng: np.random.Generator, kind: Preferences, templates: int) -> tuple[QuadSet, Truth]:
    """Return the questions of a new world with their scores, and its truth.

    C of a question is half the difference of its subjects, and noise.
    """
    shape = (SUBJECTS, ATTRIBUTES)
    own = rng.normal(0, kind.size, shape)
    if kind.alone:
        own = rng.normal(0, 0.02, shape)
        sign = rng.choice([-1.0, 1.0], SUBJECTS)
        own[np.arange(SUBJECTS), rng.integers(0, ATTRIBUTES, SUBJECTS)] += kind.size * sign
    varied = own + rng.normal(0, kind.templates, (templates, *shape))
    one, other = np.triu_indices(SUBJECTS, 1)
    c = (varied[:, one] - varied[:, other]) / 2
    c = c + rng.normal(0, kind.questions, c.shape)  # templates, pairs, attributes
    shift = 0.1 * rng.gamma(4, 1 / 4, templates)[:, None, None] + np.zeros(c.shape)
    gamma = (own - own.mean(axis=0)) * SUBJECTS / (SUBJECTS - 1) / 2
    half = SUBJECTS // 2
    cluster = (own[:half, 0].mean() - own[half:, 0].mean()) / 2
    return _asked(one, other, templates, c, shift), Truth(
        float(np.abs(gamma).max(axis=1).mean()), float(cluster), 0.1
    )


def _asked(one: np.ndarray, other: np.ndarray, templates: int, c: Floats, shift: Floats) -> QuadSet:
    """Return questions about all pairs of subjects whose C is ``c`` and whose positional error ``shift``."""
    t, p, a = (grid.ravel() for grid in np.indices(c.shape))
    names = tuple(f"x{i}" for i in range(SUBJECTS))
    of_cluster = (np.arange(SUBJECTS) >= SUBJECTS // 2).astype(np.int32) + 1
    columns = QuadColumns(
        form="question",
        subject_class="club",
        subjects=names,
        attributes=tuple(f"a{i}" for i in range(ATTRIBUTES)),
        attribute_clusters=("",) * ATTRIBUTES,
        templates=tuple(f"t{i:02}" for i in range(templates)),
        clusters=("", "one", "two"),
        subject1=one[p].astype(np.int32),
        subject2=other[p].astype(np.int32),
        attribute=a.astype(np.int32),
        template=t.astype(np.int32),
        cluster1=of_cluster[one[p]],
        cluster2=of_cluster[other[p]],
    )
    size, place = c.ravel() / 2, shift.ravel() / 2
    orders = ((1, 1), (1, -1), (-1, 1), (-1, -1))  # the sign of C, and of the place
    scores = np.array([0.5 + s * sign * size + o * place for sign, o in orders for s in (1, -1)])
    return QuadSet("generated", columns, {MODEL: lambda: scores}, {MODEL: None})


def _holds(row: MeasureRow, truth: float) -> bool:
    return row.low is not None and row.high is not None and row.low <= truth <= row.high


def _preference_holds(row: PreferenceRow, truth: float) -> bool:
    low, high = row.gamma_low, row.gamma_high
    return low is not None and high is not None and low <= truth <= high


if __name__ == "__main__":
    error_figures()
