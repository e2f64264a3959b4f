"""Scoring and filtering of whole studies: questions, statements, cache, cascades, fast mode, odd models."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file, save_file

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.errors import DamagedShard, ModelError, StudyError
from nextset.scoring.cache.folder import cache_folder
from nextset.scoring.models.sources import BUILTIN

ROOM = "format: 1\nname: {name}\nquestions:\n  packs: ['builtin:en']\n  subset: 12\n  seed: 3\n"


def written(folder: Path, text: str) -> nextset.Study:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return nextset.Study.load(folder)


def with_lines(study: Path, **lines: str) -> nextset.Study:
    """The starter's study with lines of its filter section replaced or added."""
    kept = (study / "study.yaml").read_text(encoding="utf-8").splitlines()
    for key, value in lines.items():
        kept = [line for line in kept if not line.startswith(f"  {key}:")]
        place = next(i for i, line in enumerate(kept) if line.startswith("filter:"))
        kept.insert(place + 1, f"  {key}: {value}")
    return written(study, "\n".join(kept) + "\n")


@pytest.fixture
def starter(starter_ran: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    shutil.copytree(starter_ran, folder)
    return folder


@pytest.mark.parametrize(
    ("form", "model", "rule"),
    [
        ("question", "builtin:qa-roformer", "{any_of: [answer_differs, {c_at_least: 0.02}]}"),
        ("statement", "builtin:masked-lm", "{c_at_least: 0.0001}"),
    ],
)
def test_questions_and_statements_are_scored_and_filtered(
    tmp_path: Path, form: str, model: str, rule: str
) -> None:
    study = written(
        tmp_path,
        ROOM.format(name="hard") + f"  classes: [gender, religion]\n  forms: [{form}]\n"
        f"filter:\n  candidates: [{form}s]\n  models: ['{model}']\n  rule: {rule}\n",
    )
    summary = nextset.run(study)
    stages = ["generate", "score", "filter", "filter_report", "audit", "report"]
    assert [r.stage for r in summary.stages] == stages
    table = {"question": "quads", "statement": "statements"}[form]
    quads = open_artifact(study.out / "generate").table(table)
    scores = open_artifact(study.out / "score").table("scores")
    assert scores["item_id"].to_pylist() == quads["id"].to_pylist()
    kept, rejected = (open_artifact(study.out / "filter").table(t) for t in ("kept", "rejected"))
    assert kept.num_rows
    assert kept.num_rows + rejected.num_rows == quads.num_rows
    assert summary.filter_report is not None
    assert "</svg>" in summary.filter_report.read_text(encoding="utf-8")
    assert all(s.state == "done" for s in nextset.status(study))


def test_a_second_run_asks_no_model_and_gives_the_same_bytes(starter: Path, tmp_path: Path) -> None:
    study = with_lines(starter, rule="any_wrong")
    first = nextset.score(study).digest
    files = {p: p.read_bytes() for p in cache_folder().glob("*")}
    shutil.rmtree(study.out / "score")
    assert nextset.score(study).digest == first
    assert {p: p.read_bytes() for p in cache_folder().glob("*")} == files
    # without the cache too
    shutil.rmtree(study.out / "score")
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    assert nextset.score(written(starter, text + "\nscoring: {cache: false}\n")).digest == first


def test_a_cascade_keeps_the_same_and_asks_less(starter: Path) -> None:
    whole = with_lines(starter, rule="any_wrong", pairs="apart")
    nextset.score(whole)
    kept = nextset.filter_candidates(whole).table("kept")["id"].to_pylist()
    asked = open_artifact(whole.out / "score").rows("scores")
    quick = with_lines(starter, cascade="true")
    nextset.score(quick)
    assert nextset.filter_candidates(quick).table("kept")["id"].to_pylist() == kept
    scores = open_artifact(quick.out / "score")
    assert scores.rows("scores") < asked
    # the order comes from the pilot, and stays: nothing is asked again
    assert nextset.score(quick).built == "reused"
    order = list(dict.fromkeys(scores.table("scores")["model"].to_pylist()))
    pilot = open_artifact(quick.out / "score_pilot").table("pilot").to_pylist()
    assert order == [r["model"] for r in sorted(pilot, key=lambda r: -r["wrong"] / r["parameters"])]


def test_a_cascade_reaches_the_end(starter: Path) -> None:
    summary = nextset.run(with_lines(starter, cascade="true", rule="majority_wrong"))
    assert {a.role for a in summary.accuracy} == {"filter", "held_out"}
    assert all(a.new is not None for a in summary.accuracy)


def test_a_cascade_without_the_cache_is_refused(starter: Path) -> None:
    with_lines(starter, cascade="true")
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    with pytest.raises(StudyError, match="cascade needs the score cache"):
        written(starter, text + "\nscoring: {cache: false}\n")


def test_fast_mode_publishes_its_flips(starter: Path) -> None:
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    scores = nextset.score(written(starter, text + "\nscoring: {mode: fast}\n"))
    assert set(scores.table("scores")["mode"].to_pylist()) == {"fast"}
    flips = scores.table("flips").to_pylist()
    assert [row["model"] for row in flips] == [
        "builtin:nli-electra",
        "builtin:nli-roberta",
        "builtin:nli-bart",
    ]
    assert all(0 <= row["flipped"] <= row["asked"] for row in flips)


def copied(starter: Path, id2label: list[str]) -> nextset.Study:
    """A study that filters by a copy of a built-in model with other names for its labels."""
    folder = starter / "other"
    shutil.copytree(BUILTIN / "nli-electra", folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = dict(enumerate(id2label))
    config["label2id"] = {label: i for i, label in enumerate(id2label)}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return with_lines(starter, models="[other]", held_out="[]")


def test_a_model_with_its_labels_in_another_order_stops_the_run(starter: Path) -> None:
    study = copied(starter, ["contradiction", "neutral", "entailment"])
    with pytest.raises(ModelError, match="outputs look like entailment, neutral, contradiction"):
        nextset.score(study)
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    waived = written(starter, text + "\nmodels:\n  other: {canaries_waived: to see what happens}\n")
    assert nextset.score(waived).rows("scores")


def test_labels_without_names_are_declared_by_the_study(starter: Path) -> None:
    study = copied(starter, ["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(ModelError, match="LABEL_0"):
        nextset.score(study)
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    told = written(starter, text + "\nmodels:\n  other: {labels: [entailment, neutral, contradiction]}\n")
    assert nextset.score(told).rows("scores")


def test_a_model_with_two_labels_filters_and_is_measured(starter: Path) -> None:
    copied(starter, ["entailment", "not_entailment"])
    study = with_lines(starter, rule="{lowest_neutral: 0.5}")  # it gets nothing wrong
    weights = load_file(starter / "other" / "model.safetensors")
    for name in ("classifier.out_proj.weight", "classifier.out_proj.bias"):
        # the two others' sum of exponentials, nearly: the larger of them
        weights[name] = torch.stack([weights[name][0], weights[name][1:].mean(dim=0)]).contiguous()
    save_file(weights, starter / "other" / "model.safetensors", metadata={"format": "pt"})
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    study = written(starter, text + "\nmodels:\n  other: {canaries_waived: cut out of another}\n")
    summary = nextset.run(study)
    assert summary.accuracy[0].new is not None
    scores = open_artifact(study.out / "score").table("scores")
    assert pc.all(pc.is_null(scores["contradiction"])).as_py()
    measured = open_artifact(study.out / "audit").table("measures").to_pylist()
    place = ("released", "all", "aggregate")
    (aggregate,) = (r for r in measured if (r["items"], r["by"], r["measure"]) == place)
    assert aggregate["value"] is None
    assert "needs contradiction" in aggregate["note"]


def test_texts_that_are_too_long_stop_the_run_before_it_begins(starter: Path) -> None:
    study = copied(starter, ["entailment", "neutral", "contradiction"])
    config = json.loads((starter / "other" / "config.json").read_text(encoding="utf-8"))
    weights = load_file(starter / "other" / "model.safetensors")
    (table,) = (name for name in weights if "position_embeddings" in name)
    weights[table] = weights[table][:12].clone()
    config["max_position_embeddings"] = 12
    (starter / "other" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(weights, starter / "other" / "model.safetensors", metadata={"format": "pt"})
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    waived = "canaries_waived: they are too long as well"
    study = written(starter, text + f"\nmodels:\n  other: {{{waived}}}\n")
    with pytest.raises(ModelError, match=r"reads at most 12 tokens; longer texts, [\d,]+ of [\d,]+:"):
        nextset.score(study)
    assert not any((study.out / "score.partial").glob("*.parquet"))
    study = written(starter, text + f"\nmodels:\n  other: {{{waived}, too_long: truncate}}\n")
    assert pc.any(nextset.score(study).table("scores")["truncated"]).as_py()


def test_the_shipped_study_keeps_questions_with_a_preference(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hard_questions"
    shutil.copytree(root / "studies" / "hard_questions", folder, ignore=shutil.ignore_patterns("out"))
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    assert "\n  subset: 250\n" in text
    study = written(folder, text.replace("subset: 250", "subset: 25"))
    nextset.run(study)
    kept = open_artifact(study.out / "filter").table("kept")
    by_id = {r["item_id"]: r for r in open_artifact(study.out / "score").table("scores").to_pylist()}
    assert kept.num_rows
    for id_ in kept["id"].to_pylist():
        s = by_id[id_]
        # equations 5 and 6, written out
        b1, b2 = (
            (s[f"subject{x}_12"] + s[f"subject{x}_21"]) / 2
            - (s[f"subject{x}_12_negated"] + s[f"subject{x}_21_negated"]) / 2
            for x in (1, 2)
        )
        assert abs((b1 - b2) / 2) >= 0.1


def test_fast_mode_has_nothing_to_compare_where_nothing_is_asked(starter: Path) -> None:
    text = (starter / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("release:\n", "release:\n  counterfactuals: false\n")
    nextset.run(written(starter, text + "\nscoring: {mode: fast}\n"))
    asked = open_artifact(starter / "out" / "score_release")
    assert (asked.rows("scores"), asked.rows("flips")) == (0, 0)


def test_a_model_has_one_vote(starter: Path) -> None:
    with pytest.raises(StudyError, match="builtin:nli-bart is listed twice"):
        with_lines(starter, models="['builtin:nli-bart', 'builtin:nli-bart']")


@pytest.mark.parametrize("column", ["id", "stance_design", "premise"])
def test_an_imported_file_that_is_none_is_named(starter: Path, column: str) -> None:
    items = open_artifact(starter / "out" / "generate").table("items").slice(0, 2)
    study = nextset.Study.load(starter)
    study.imported.mkdir(exist_ok=True)
    pq.write_table(items.drop_columns([column]), study.imported / "x.parquet")
    with pytest.raises(DamagedShard, match=f"column {column}"):
        nextset.score(study)
    place = items.schema.get_field_index("id")
    odd = items.set_column(place, items.schema.field("id"), pa.array(["12", "z" * 62]))
    pq.write_table(odd, study.imported / "x.parquet")
    with pytest.raises(DamagedShard, match="has values that are not ids"):
        nextset.score(study)
