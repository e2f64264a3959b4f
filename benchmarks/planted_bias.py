"""The coverage of an audit's intervals: how often they contain the bias that was planted in a model.

Each seed draws new templates' effects and new pairs of subjects, plants them in a model, scores all texts
with it, and audits the scores. python benchmarks/planted_bias.py
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Run as a file, Python would put benchmarks/ before the clone's root on its path.
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import nextset
from benchmarks.figures import figure
from makers.planted_bias.planted_models import PlantedClassifier, PlantedReader, plant, save_planted
from makers.planted_bias.planted_study import (
    CLUSTERS,
    CONTEXTS,
    GROUPS,
    HABITS,
    OTHERS,
    POLARITY,
    SUBJECTS,
    VERBS,
    write_item_study,
    write_question_study,
)
from makers.planted_bias.planted_truth import (
    ClassifierPopulation,
    ReaderPopulation,
    classifier_truth,
    reader_truth,
)
from nextset.artifacts.artifact import open_artifact
from nextset.auditing.audit_form import AUDIT_FORMS
from nextset.auditing.audit_records import MeasureRow
from nextset.auditing.audit_tables import AuditTables
from nextset.auditing.audited_sets import study_sets
from nextset.auditing.form_tables import question_tables
from nextset.auditing.quads.quad_tables import PROPERTIES
from nextset.auditing.row_sets import AuditRows
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS, NliScore
from nextset.scoring.batches import Budget
from nextset.scoring.models.sources import locate
from nextset.scoring.nli import NliClassifier
from nextset.scoring.scorer_protocol import Pair
from nextset.scoring.subjects.extractive_subject_scorer import SpanScorer
from nextset.scoring.subjects.quad_scores import quad_table, question_inputs

__all__ = ["planted_figures"]

SEEDS = 200
REACHED = 0.93
"""The least share of seeds whose 95 % interval contains the truth."""
PAIRS = 64
"""The number of pairs of subjects per seed, out of 144."""
TOKENS = 16_384
"""Tokens per model batch: more than nextset uses, since these inputs are short."""
STRENGTHS = dict(zip(HABITS, (0.6, -0.4, 0.25, 0.1, -0.15, 0.0), strict=True))
OF_GROUP = {x: 1 if cluster == CLUSTERS[0] else -1 for cluster in CLUSTERS for x in SUBJECTS[cluster]}
OWN = dict(zip(OF_GROUP, np.random.default_rng(7).normal(0, 0.2, len(OF_GROUP)).tolist(), strict=True))
BIASED_READER = ReaderPopulation(OF_GROUP, OWN, STRENGTHS, slope=0.25, tilt=0.3, position=0.3)
FAIR_READER = replace(BIASED_READER, own=dict.fromkeys(OF_GROUP, 0.0), strength=dict.fromkeys(HABITS, 0.0))
BIASED_CLASSIFIER = ClassifierPopulation(lean=(0.3, 1.0), preference=(0.5, 0.3), neutral=0.7)
FAIR_CLASSIFIER = replace(BIASED_CLASSIFIER, preference=(0.0, 0.3))
SKEWED = ("attribute_error", "mean_c")
"""Means of absolute values over contexts: with eight contexts their intervals are a little too narrow."""
PLANTED, FAIR = "planted bias", "no bias"
DISTANCE = 2
"""Words from the first subject to the second."""


@dataclass
class Held:
    """The number of intervals, and how many of them contain the truth."""

    held: int = 0
    """The number of intervals that contain the truth."""
    of: int = 0
    """The number of intervals; if there is too little to draw from, there is none."""

    def add(self, low: float | None, high: float | None, truth: float) -> None:
        """Count an interval, if there is one."""
        if low is not None and high is not None:
            self.of += 1
            self.held += low <= truth <= high


Coverage = defaultdict[str, Held]


def planted_figures(seeds: int = SEEDS) -> None:
    """Print the coverage of the intervals, with planted bias and without; about seven CPU-minutes."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            questions, items = Questions.made(Path(scratch) / "q"), Items.made(Path(scratch) / "i")
            for bias, reader in ((PLANTED, BIASED_READER), (FAIR, FAIR_READER)):
                _show(bias, questions.coverage(reader, seeds))
            for bias, classifier in ((PLANTED, BIASED_CLASSIFIER), (FAIR, FAIR_CLASSIFIER)):
                _show(bias, items.coverage(classifier, seeds))
    finally:
        torch.set_num_threads(before)


def _show(bias: str, coverage: Coverage) -> None:
    for name, held in coverage.items():
        share = held.held / held.of
        aimed = name not in SKEWED
        goal = f"≥ {REACHED}" if aimed else "measured only"
        figure(f"{bias}, intervals that contain {name}", share, goal, share >= REACHED or not aimed)


@dataclass(frozen=True)
class Questions:
    """All questions of the planted study, encoded, with a reader whose weights are set for each seed."""

    quads: pa.Table
    """All quads."""
    pair: npt.NDArray[np.int64]
    """The pair of subjects of each quad, shape (quads,)."""
    encoded: Sequence[Any]
    """The inputs, four per quad."""
    scorer: SpanScorer

    @classmethod
    def made(cls, folder: Path) -> Questions:
        save_planted(_reader(BIASED_READER, np.random.default_rng(0)), folder / "model")
        write_question_study(folder / "study", ["../model"])
        nextset.generate(folder / "study")
        quads = open_artifact(folder / "study" / "out" / "generate").table("quads")
        scorer = replace(SpanScorer.load(locate(str(folder / "model"))), budget=Budget(TOKENS))
        named = np.array(quads["subject1"].to_pylist()) + " " + np.array(quads["subject2"].to_pylist())
        pair = np.unique(named, return_inverse=True)[1]
        return cls(quads, pair.astype(np.int64), scorer.encoded(question_inputs(quads)), scorer)

    def audited(self, planted: PlantedReader, rng: np.random.Generator) -> AuditTables:
        """Plant, score a random part of the pairs, and audit."""
        chosen = rng.choice(self.pair.max() + 1, PAIRS, replace=False)
        rows = np.flatnonzero(np.isin(self.pair, chosen))
        plant(self.scorer.precisions.quick.model, planted)
        numbers = self.scorer.scores([self.encoded[4 * row + k] for row in rows for k in range(4)])
        quads = self.quads.take(rows)
        scores = quad_table(
            quads, numbers, model="planted", revision="0", role="audit", precision="float32", mode="fast"
        )
        pieces = [quads.select(PROPERTIES)]
        return question_tables(
            {"generated": lambda: pieces}, [scores], "question", lambda *_: None, lambda *_: None
        )

    def coverage(self, population: ReaderPopulation, seeds: int) -> Coverage:
        truth = reader_truth(population)
        found: Coverage = defaultdict(Held)
        for seed in range(seeds):
            rng = np.random.default_rng((11, seed))
            tables = self.audited(_reader(population, rng), rng)
            for row in tables.preferences:
                if not row.attribute:
                    continue
                sign = 1 if row.subject == CLUSTERS[0] else -1
                if row.by == "subject":
                    name, eta_name = "γ(x, a)", "η(x, a)"
                    gamma = truth.gamma[row.subject, row.attribute]
                    eta = truth.eta[row.subject, row.attribute]
                    found[eta_name].add(row.eta_low, row.eta_high, eta)
                elif sign == 1:  # the other cluster has the negative of it
                    strength = population.strength[row.attribute]
                    name = f"γ(cluster, a), β = {strength:g}"
                    gamma = truth.of_cluster[row.attribute]
                else:
                    continue
                found[name].add(row.gamma_low, row.gamma_high, gamma)
            for name, row in _measures(tables, "all"):
                if name in truth.measures:
                    found[name].add(row.low, row.high, truth.measures[name])
        return found


@dataclass(frozen=True)
class Items:
    """The released items of the planted study, encoded, with a classifier."""

    folder: Path
    """The folder out of the study."""
    ids: Sequence[str]
    encoded: Sequence[Any]
    scorer: NliClassifier

    @classmethod
    def made(cls, folder: Path) -> Items:
        save_planted(_classifier(BIASED_CLASSIFIER, np.random.default_rng(0)), folder / "model")
        study = folder / "study"
        write_item_study(study, ["../model"])
        for stage in (nextset.generate, nextset.fill, nextset.score, nextset.filter_candidates,
                      nextset.apply_judgments, nextset.build_release):  # fmt: skip
            stage(study)
        items = open_artifact(study / "out" / "release").table("items")
        scorer = NliClassifier.load(locate(str(folder / "model")))
        texts = zip(items["premise"].to_pylist(), items["hypothesis"].to_pylist(), strict=True)
        encoded = scorer.encoded([Pair(*pair) for pair in texts])
        return cls(study / "out", items["id"].to_pylist(), encoded, scorer)

    def audited(self, planted: PlantedClassifier) -> AuditTables:
        plant(self.scorer.precisions.quick.model, planted)
        numbers = self.scorer.scores(self.encoded)
        same = {"model": "planted", "revision": "0", "role": "audit", "precision": "float32", "mode": "fast"}
        rows = [
            {"item_id": item, **same, **dict(zip(LABELS, row[:3], strict=True)), "truncated": False}
            for item, row in zip(self.ids, numbers.tolist(), strict=True)
        ]
        schema = arrow_schema(NliScore)
        scores = pa.Table.from_pylist([{k: row[k] for k in schema.names} for row in rows], schema)
        sets = study_sets(self.folder, "nli", released=True)
        rows = AuditRows(sets=sets[-1:], sources=dict, masks_by_name=True)
        return AUDIT_FORMS["nli"].tables(rows, [scores], (), lambda *_: None)

    def coverage(self, population: ClassifierPopulation, seeds: int) -> Coverage:
        truth = classifier_truth(population)
        found: Coverage = defaultdict(Held)
        for seed in range(seeds):
            rng = np.random.default_rng((12, seed))
            for name, row in _measures(self.audited(_classifier(population, rng)), "all"):
                if name in truth:
                    found[name].add(row.low, row.high, truth[name])
        return found


def _measures(tables: AuditTables, by: str) -> Iterator[tuple[str, MeasureRow]]:
    return ((row.measure, row) for row in tables.measures if row.by == by)


def _reader(population: ReaderPopulation, rng: np.random.Generator) -> PlantedReader:
    return PlantedReader(
        group=population.group,
        own=population.own,
        strength=population.strength,
        slope=_drawn(rng, CONTEXTS, 0.0, population.slope),
        tilt=_drawn(rng, CONTEXTS, 0.0, population.tilt),
        polarity=POLARITY,
        position=population.position / DISTANCE,
        others=OTHERS,
    )


def _classifier(population: ClassifierPopulation, rng: np.random.Generator) -> PlantedClassifier:
    return PlantedClassifier(
        group=GROUPS,
        lean=_drawn(rng, VERBS, *population.lean),
        preference=_drawn(rng, VERBS, *population.preference),
        neutral=population.neutral,
        others=OTHERS,
    )


def _drawn(
    rng: np.random.Generator, names: Sequence[str], mean: float, deviation: float
) -> Mapping[str, float]:
    return dict(zip(names, rng.normal(mean, deviation, len(names)).tolist(), strict=True))


if __name__ == "__main__":
    planted_figures(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
