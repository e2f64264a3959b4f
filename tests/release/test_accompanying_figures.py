"""Readers recompute a study's figures from the released tables alone."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import ArtifactError, WaitingForPeople
from nextset.records.arrow_schema import arrow_schema
from nextset.records.column_docs import column_docs
from nextset.records.exposure_total import ExposureTotal
from nextset.records.filter_tables import AccuracyRow, BiasRow, DeclaredRule, GapRow, SurvivalRow
from nextset.records.port_decisions import PortDecision
from nextset.release.accompanying_data.published_figures import PUBLISHED, PublishedTable, published_table
from nextset.release.accompanying_data.released_judgments import judgments_by_judge, released_judgments
from nextset.release.accompanying_data.released_pseudonyms import dataset_pseudonyms
from nextset.release.accompanying_data.score_selection import (
    SCORE_STAGES,
    IdHashes,
    scores_of_partition,
    scores_to_release,
)
from nextset.release.verdict_selection import adjudicated_verdicts, select_valid, selected_units
from nextset.study.release_settings import VerdictRule
from nextset.validation.agreement.coefficient_table import AgreementRow
from nextset.validation.file_exchange.task_export import export_csv

ORIGINALS = {
    "filter_rule": DeclaredRule,
    "survival": SurvivalRow,
    "accuracy": AccuracyRow,
    "bias": BiasRow,
    "held_out_gap": GapRow,
    "exposure": ExposureTotal,
    "agreement": AgreementRow,
    "port_decisions": PortDecision,
}


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda p: p.config)
def test_a_published_table_has_the_columns_of_the_studys(published: PublishedTable) -> None:
    original = ORIGINALS[published.config]
    assert arrow_schema(published.record).equals(arrow_schema(original))
    docs, originals = column_docs(published.record), column_docs(original)
    assert list(docs) == list(originals)
    # a reader of the dataset has no list of MEASURES, and sees the dataset's pseudonyms
    assert {n for n in docs if docs[n] != originals[n]} <= {"measure", "judge1"}


def test_another_table_is_refused() -> None:
    with pytest.raises(ArtifactError, match="are not the expected ones"):
        published_table(pa.table({"x": [1]}), PUBLISHED[0], {})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> nextset.Study:
    """The starter study, judged by three people: two call every unit valid, the third every other one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXTSET_PSEUDONYM_KEY", "a key for the tests, long enough")
        folder = nextset.new_study(tmp_path_factory.mktemp("figures") / "mine").file.parent
        file = folder / "study.yaml"
        file.write_text(file.read_text().replace("judge: rule", "judge: people"))
        study = nextset.Study.load(folder)
        with pytest.raises(WaitingForPeople):
            nextset.run(study)
        tasks = export_csv(study).path
        for person in ("ada", "ben", "cleo"):
            nextset.import_judgments(study, _filled_in(tasks, person))
        nextset.apply_judgments(study)
        return study


def _filled_in(tasks: Path, person: str) -> Path:
    with tasks.open(encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    for i, row in enumerate(rows):
        valid = person != "cleo" or i % 2 == 0
        row |= {"judge": person, "verdict": "valid" if valid else "invalid", "stance": "pro" if valid else ""}
    filled = tasks.with_name(f"{person}.csv")
    with filled.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return filled


@pytest.fixture(scope="module")
def released(judged: nextset.Study) -> dict[str, pa.Table]:
    """The released tables, by config: all that a reader has."""
    validated = open_artifact(judged.out / "validate")
    votes, adjudications = validated.table("judgments"), validated.table("adjudications")
    items = select_valid(
        validated.table("items"),
        selected_units(
            VerdictRule(majority=True),
            votes,
            validated.table("posteriors"),
            adjudicated_verdicts(adjudications, [validated.table("items")]),
        ),
    )
    scores = scores_of_partition(
        scores_to_release([judged.out / stage for stage in SCORE_STAGES], IdHashes.of([items["id"]])),
        items["id"],
    )
    assert scores is not None
    names = dataset_pseudonyms(judgments_by_judge([votes, adjudications]), judged.release.name)
    figures = {
        p.config: published_table(open_artifact(judged.out / p.stage).table(p.table), p, names)
        for p in PUBLISHED
        if open_artifact(judged.out / p.stage).shards_of(p.table)
    }
    judgments = released_judgments(votes, adjudications, names)
    return {"items": items, "scores": scores, "judgments": judgments, **figures}


@pytest.mark.slow
def test_accuracy_of_every_model_on_the_release(released: dict[str, pa.Table]) -> None:
    right = {row["id"]: row["label"] for row in released["items"].to_pylist()}
    hits: dict[str, list[bool]] = defaultdict(list)
    for row in released["scores"].to_pylist():
        numbers = {name: row[name] for name in ("entailment", "neutral", "contradiction")}
        hits[row["model"]].append(max(numbers, key=lambda n: numbers[n]) == right[row["item_id"]])
    # Every kept unit is valid by majority, so the release is what the filter kept.
    after = {row["model"]: (row["after"], row["n_after"]) for row in released["accuracy"].to_pylist()}
    assert len(after) > 2
    assert {m: (pytest.approx(sum(h) / len(h)), len(h)) for m, h in hits.items()} == after


@pytest.mark.slow
def test_survivors_by_domain(released: dict[str, pa.Table]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in released["items"].to_pylist():
        counts[row["domain"], "any"] += 1
        counts.update((row["domain"], model) for model in row["missed_by"])
    published = released["survival"].filter(pc.equal(released["survival"]["by"], "domain")).to_pylist()
    assert {(r["part"], r["model"]): r["survived"] for r in published} == dict(counts)
    # The candidates that were not kept are in no released row: their number is in the published table alone.
    assert all(r["candidates"] >= r["survived"] for r in published)


@pytest.mark.slow
def test_per_cent_agreement_of_the_verdicts(released: dict[str, pa.Table]) -> None:
    votes: dict[str, list[str]] = defaultdict(list)
    for row in released["judgments"].to_pylist():
        votes[row["unit_id"]].append(row["verdict"])
    pairs = [a == b for given in votes.values() for a, b in combinations(given, 2)]
    (published,) = (
        row
        for row in released["agreement"].to_pylist()
        if (row["of"], row["by"], row["name"]) == ("verdict", "all", "per_cent")
    )
    assert published["value"] == pytest.approx(100 * sum(pairs) / len(pairs))
    cohen = {
        judge
        for row in released["agreement"].to_pylist()
        for judge in (row["judge1"], row["judge2"])
        if judge is not None
    }
    assert cohen <= set(released["judgments"]["judge"].to_pylist())


@pytest.mark.slow
def test_other_rules_for_verdicts(judged: nextset.Study, released: dict[str, pa.Table]) -> None:
    validated = open_artifact(judged.out / "validate")
    votes: dict[str, list[str]] = defaultdict(list)
    for row in released["judgments"].to_pylist():
        votes[row["unit_id"]].append(row["verdict"])
    by_hand = sorted(unit for unit, given in votes.items() if set(given) == {"valid"})
    found: Any = selected_units(
        VerdictRule(unanimous=True), validated.table("judgments"), validated.table("posteriors"), {}
    )
    assert found.to_pylist() == by_hand
    assert 0 < len(by_hand) < len(votes)
