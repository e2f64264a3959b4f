"""Audits of dataset versions without a study: folders, the Hub, models, released scores, refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import nextset
from nextset.auditing.audit_tables import TABLES
from nextset.auditing.measures_without_study import measure_table
from nextset.cli.app import app
from nextset.cli.audit_dataset import dataset_version
from nextset.errors import ArtifactError, DamagedShard, InputError, ModelError, NextsetError
from nextset.records.arrow_schema import arrow_schema
from nextset.records.nli_items import LABELS
from nextset.records.prompt_outcomes import OUTCOMES
from nextset.release.version_folder.release_manifest import MANIFEST, manifest_bytes, read_release_manifest
from nextset.scoring.models.sources import locate
from tests.auditing.datasets.version_example import example_rows, example_version
from tests.auditing.report.embedded_items import embedded
from tests.release.dataset_folders import rewrite_manifest
from tests.release.loopback_hub import DUMMY, serving
from tests.release.loopback_hub_client import through_loopback
from tests.release.version_folders import item, items_table, scores_table, write_version

MODEL = "builtin:nli-electra"
OTHER = "builtin:nli-albert"


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve items and two controls."""
    return example_version(tmp_path_factory.mktemp("version") / "v")


@pytest.fixture(scope="module")
def audited(version: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The audit of two models on it."""
    return nextset.audit_dataset(version, [MODEL, OTHER], tmp_path_factory.mktemp("audit") / "out")


def _values(audited: Any, model: str = MODEL) -> dict[str, float | None]:
    rows = audited.table("measures").to_pylist()
    return {
        row["measure"]: row["value"]
        for row in rows
        if (row["model"], row["by"], row["selection"]) == (model, "all", "measured")
    }


def test_the_tables_have_their_records(audited: Any) -> None:
    assert set(audited.tables) >= set(TABLES) - {"preferences", "wordings"}
    measures = audited.to_pandas("measures")
    assert list(measures.columns) == arrow_schema(TABLES["measures"]).names
    assert set(measures["role"]) == {"audit"}
    assert set(measures["items"]) == {"dataset"}
    assert audited.to_pandas("models")["model"].tolist() == sorted([MODEL, OTHER])
    assert set(audited.to_pandas("comparisons")["kind"]) == {"models"}


def test_the_measures_are_those_of_the_models_scores(audited: Any) -> None:
    parts = [pq.read_table(p) for p in (audited.folder.parent / "score_items" / "scores").glob("*.parquet")]
    scores = pa.concat_tables(parts)
    rows = pa.concat_tables([example_rows(False), example_rows(True)])
    expected = {
        row["measure"]: row["value"]
        for row in measure_table(rows, scores).to_pylist()
        if row["model"] == MODEL and row["by"] == "all"
    }
    assert _values(audited) == expected
    assert expected["accuracy"] is not None


def test_csv_and_json_hold_the_measures(audited: Any) -> None:
    written = json.loads((audited.folder / "measures.json").read_text(encoding="utf-8"))
    assert written == audited.table("measures").to_pylist()
    lines = (audited.folder / "measures.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(written) + 1


def test_the_same_audit_gives_the_same_bytes_and_a_second_one_is_reused(
    audited: Any, version: Path, tmp_path: Path
) -> None:
    again = nextset.audit_dataset(version, [MODEL, OTHER, MODEL], tmp_path / "elsewhere")
    assert again.digest == audited.digest
    assert nextset.audit_dataset(version, [MODEL, OTHER], tmp_path / "elsewhere").built == "reused"


def test_an_audit_that_was_stopped_resumes(audited: Any, version: Path, tmp_path: Path) -> None:
    def stop(stage: str) -> Callable[[int, int], None]:
        def tick(done: int, total: int) -> None:
            if (stage, done) == ("score_items", 1):
                raise KeyboardInterrupt

        return tick

    with pytest.raises(KeyboardInterrupt):
        nextset.audit_dataset(version, [MODEL, OTHER], tmp_path / "out", progress=stop)
    assert (tmp_path / "out" / "score_items.partial" / "journal.jsonl").is_file()
    told: list[tuple[str, int, int]] = []
    resumed = nextset.audit_dataset(
        version,
        [MODEL, OTHER],
        tmp_path / "out",
        progress=lambda stage: lambda done, total: told.append((stage, done, total)),
    )
    first = next(row for row in told if row[0] == "score_items")
    assert first[1] >= 1  # what was finished before
    assert resumed.digest == audited.digest


def test_the_default_folder_has_the_name_and_the_version(
    version: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = nextset.audit_dataset(str(version), [MODEL])
    assert made.folder.resolve() == tmp_path / "audit-a-set-1.2.0" / "audit"


def _scored(folder: Path, revision: str, answered: int) -> Path:
    """A version of four items with the scores of a model: entailment for the first ``answered`` items."""
    rows = [item(f"The left-handed cook is {w}.") for w in ("tidy", "late", "quick", "calm")]
    answers = {row["id"]: "entailment" for row in rows[:answered]}
    tables = {"items": items_table(rows), "scores": scores_table(answers, MODEL, revision)}
    return write_version(folder, tables)


def test_released_scores_are_measured_too(tmp_path: Path) -> None:
    """All four items are answered entailment: accuracy 0, pro 4/4."""
    found = nextset.audit_dataset(_scored(tmp_path / "v", "1", 4), [OTHER], tmp_path / "out")
    assert _values(found)["accuracy"] == 0
    assert _values(found)["pro"] == 1
    assert set(found.to_pandas("models")["model"]) == {MODEL, OTHER}


def test_released_scores_of_a_part_of_the_rows_are_left_out(tmp_path: Path) -> None:
    found = nextset.audit_dataset(_scored(tmp_path / "v", "1", 3), [OTHER], tmp_path / "out")
    assert set(found.to_pandas("models")["model"]) == {OTHER}


def test_a_model_that_is_asked_now_replaces_its_other_revision(tmp_path: Path) -> None:
    found = nextset.audit_dataset(_scored(tmp_path / "v", "1", 4), [MODEL], tmp_path / "out")
    assert found.to_pandas("models")["revision"].tolist() == [locate(MODEL).digest]


def test_scores_of_a_version_without_outcomes_are_measured(tmp_path: Path) -> None:
    """The scores of an earlier version lack the shares of refusals, which count as 0."""
    rows = [item(f"The left-handed cook is {w}.") for w in ("tidy", "late", "quick", "calm")]
    scores = scores_table({row["id"]: "entailment" for row in rows}, MODEL, "1")
    old = scores.drop_columns([*OUTCOMES, "votes"])
    version = write_version(tmp_path / "v", {"items": items_table(rows), "scores": old})
    found = nextset.audit_dataset(version, [OTHER], tmp_path / "out")
    values = {(r["model"], r["measure"]): r["value"] for r in found.table("measures").to_pylist()}
    assert (values[MODEL, "accuracy"], values[MODEL, "pro"]) == (0, 1)


def test_a_model_whose_scores_are_released_is_not_asked_again(tmp_path: Path) -> None:
    version = _scored(tmp_path / "v", locate(MODEL).digest, 4)
    found = nextset.audit_dataset(version, [MODEL], tmp_path / "out")
    assert not (tmp_path / "out" / "score_items").exists()
    assert _values(found)["pro"] == 1


def test_judgments_give_selections(tmp_path: Path) -> None:
    """Two units: one found valid by both people, one by one of two; three annotators' votes count."""
    rows = [item(f"The left-handed cook is {w}.", names_group=True) for w in ("tidy", "late")]
    table = items_table(rows).append_column("unit_id", pa.array(["u0", "u1"]))
    votes = [("u0", "valid"), ("u0", "valid"), ("u1", "valid"), ("u1", "invalid")]
    judgments = pa.table(
        {
            "unit_id": [unit for unit, _ in votes],
            "verdict": [verdict for _, verdict in votes],
            "adjudication": [False] * 4,
        }
    )
    version = write_version(tmp_path / "v", {"items": table, "judgments": judgments})
    found = nextset.audit_dataset(version, [MODEL], tmp_path / "out").to_pandas("measures")
    own = found[(found["by"] == "all") & (found["measure"] == "pro")].set_index("selection")["n"]
    assert own["measured"] == 2
    assert own["unanimous"] == 1


@pytest.mark.slow
def test_questions_and_statements_are_asked_to_the_models_that_fit(tmp_path: Path, root: Path) -> None:
    (tmp_path / "study").mkdir()
    settings = (root / "studies" / "unqover" / "study.yaml").read_text(encoding="utf-8")
    assert "subset: 5000" in settings
    (tmp_path / "study" / "study.yaml").write_text(settings.replace("subset: 5000", "subset: 8"))
    made = nextset.generate(tmp_path / "study")
    tables = {"questions": made.table("quads"), "statements": made.table("statements")}
    version = write_version(tmp_path / "v", tables)
    models = ["builtin:qa-roformer", "builtin:masked-lm"]
    found = nextset.audit_dataset(version, models, tmp_path / "out")
    forms = found.to_pandas("measures")[["form", "model"]].drop_duplicates()
    assert sorted(map(tuple, forms.to_numpy().tolist())) == [
        ("question", "builtin:qa-roformer"),
        ("statement", "builtin:masked-lm"),
    ]
    classes = set(found.to_pandas("preferences")["subject_class"])
    assert classes == {"gender", "nationality", "ethnicity", "religion"}
    explorer = embedded((tmp_path / "out" / "audit" / "index.html").read_text(encoding="utf-8"))
    assert explorer["total"] == len(explorer["ids"]) == sum(table.num_rows for table in tables.values())
    assert explorer["columns"]["form"]["values"] == ["masked statement", "question"]
    assert {model["name"] for model in explorer["models"]} == set(models)
    assert explorer["note"] == ""
    with pytest.raises(ModelError, match="has only questions and statements"):
        nextset.audit_dataset(version, [MODEL], tmp_path / "out")


@pytest.mark.slow
def test_a_version_on_the_hub_is_audited_by_its_tag(tmp_path: Path) -> None:
    made = _scored(tmp_path / "v", "1", 4)
    with serving(tmp_path / "hub") as hub, through_loopback():
        from huggingface_hub import HfApi

        api = HfApi(endpoint=hub.url, token=DUMMY)
        api.create_repo("lab/cooks", repo_type="dataset")
        commit = api.upload_folder(repo_id="lab/cooks", folder_path=made, repo_type="dataset")
        api.create_tag("lab/cooks", tag="v1.0.0", revision=commit.oid, repo_type="dataset")
        found = nextset.audit_dataset("lab/cooks@v1.0.0", [OTHER], tmp_path / "a", endpoint=hub.url)
    folder = nextset.audit_dataset(made, [OTHER], tmp_path / "b")
    assert found.digest == folder.digest


def _altered(folder: Path) -> str:
    file = next(example_version(folder).rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return str(folder)


def _without_column(folder: Path) -> str:
    return _rewritten(folder, lambda table: table.drop_columns(["names_group"]))


def _wrong_type(folder: Path) -> str:
    wrong = pa.array(["perhaps"] * 12)
    return _rewritten(
        folder, lambda t: t.set_column(t.schema.get_field_index("names_group"), "names_group", wrong)
    )


def _rewritten(folder: Path, change: Callable[[pa.Table], pa.Table]) -> str:
    """A version whose manifest lists a file of items as ``change`` leaves it."""
    path = "data/items/test-00000-of-00001.parquet"
    example_version(folder)
    pq.write_table(change(pq.read_table(folder / path)), folder / path)
    rewrite_manifest(folder, read_release_manifest(folder), path)
    return str(folder)


def _empty(folder: Path) -> str:
    example_version(folder)
    manifest = read_release_manifest(folder)
    for file in manifest.files:
        (folder / file.path).unlink()
    (folder / MANIFEST).write_bytes(manifest_bytes(replace(manifest, files=())))
    return str(folder)


REFUSED: dict[str, tuple[Callable[[Path], Any], list[str], type[NextsetError], str]] = {
    "no such dataset": (lambda f: str(f / "nothing"), [MODEL], InputError, "neither a folder nor a version"),
    "no model": (lambda f: example_version(f), [], InputError, "no model is named"),
    "two datasets": (lambda f: [example_version(f), f], [MODEL], InputError, "2 datasets are named"),
    "no dataset": (lambda f: [], [MODEL], InputError, "no dataset is named"),
    "cut file": (_altered, [MODEL], ArtifactError, "is altered"),
    "no column": (_without_column, [MODEL], ArtifactError, "it has no column names_group"),
    "another type": (_wrong_type, [MODEL], ArtifactError, "cannot be audited"),
    "no rows": (_empty, [MODEL], ArtifactError, "no items, questions or statements"),
    "no such model": (lambda f: example_version(f), ["builtin:nli"], ModelError, "no built-in model"),
    "no name": (lambda f: example_version(f), ["a b"], InputError, "'a b' is not the name of a model"),
    "another kind": (lambda f: example_version(f), ["builtin:masked-lm"], ModelError, "has only items"),
    "an artifact": (lambda f: f.parent, [MODEL], ArtifactError, "is not the folder of a dataset version"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_audited_is_refused(tmp_path: Path, name: str) -> None:
    made, models, error, why = REFUSED[name]
    (tmp_path / "in").mkdir()
    dataset = made(tmp_path / "in" / "v")
    with pytest.raises(error, match=why) as found:
        nextset.audit_dataset(dataset, models, tmp_path / "out")
    assert found.value.remedy


def test_two_models_with_one_name_are_refused(version: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder / "mine").mkdir(parents=True)
    models = [str(tmp_path / folder / "mine") for folder in ("a", "b")]
    with pytest.raises(InputError, match="both be published as mine"):
        nextset.audit_dataset(version, models, tmp_path / "out")


def test_results_are_never_written_into_a_version_or_a_study(version: Path, tmp_path: Path) -> None:
    study = nextset.new_study(tmp_path / "study").file.parent
    (tmp_path / "file").write_text("")
    for out in (version, version / "audit", study, tmp_path / "file"):
        with pytest.raises(InputError):
            nextset.audit_dataset(version, [MODEL], out)


def test_rows_are_read_with_the_names_of_their_labels(version: Path) -> None:
    dataset = dataset_version(version)
    (rows, controls) = dataset.tables("nli", ("id", "label", "stance_design"), ("verdict", "nothing"))
    assert {rows.num_rows, controls.num_rows} == {12, 2}
    assert set(LABELS) >= set(rows["label"].to_pylist())
    assert rows.column_names == ["id", "label", "stance_design", "verdict"]


@pytest.fixture
def unsure(tmp_path: Path) -> Path:
    """A model whose three outputs are the same: it fails its canaries."""
    from safetensors.torch import load_file, save_file

    found = locate(MODEL).folder
    assert found is not None
    folder = Path(shutil.copytree(found, tmp_path / "unsure"))
    weights = load_file(folder / "model.safetensors")
    for name in ("classifier.out_proj.weight", "classifier.out_proj.bias"):
        weights[name] = weights[name][[1, 1, 1]].contiguous()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_a_model_that_fails_its_canaries_is_named_before_anything_is_asked(
    version: Path, tmp_path: Path, unsure: Path
) -> None:
    models = [OTHER, str(unsure)]
    with pytest.raises(ModelError, match="No model was asked") as e:
        nextset.audit_dataset(version, models, tmp_path / "out")
    assert "canary pairs" in e.value.message
    assert f"omit --model {unsure}" in e.value.remedy
    waived = {str(unsure): {"canaries_waived": "WHY"}}
    assert f"to use it anyway, give a reason with models={waived}" in e.value.remedy
    assert "in study.yaml" not in e.value.remedy
    assert not list((tmp_path / "out").glob("score_*/manifest.json"))


def test_a_model_that_fails_its_canaries_is_audited_for_a_reason(
    version: Path, tmp_path: Path, unsure: Path
) -> None:
    audit = ["audit", str(version), "--model", str(unsure), "--out", str(tmp_path / "out")]
    refused = CliRunner().invoke(app, audit)
    assert refused.exit_code == 6
    assert "give a reason with --waive-canaries WHY" in refused.stderr
    accepted = CliRunner().invoke(app, [*audit, "--waive-canaries", "a trial of a model without meaning"])
    assert accepted.exit_code == 0, accepted.stderr
    for wrong in (["--waive-canaries", "a trial"], ["--labels", "entailment,not_entailment"]):
        assert CliRunner().invoke(app, ["audit", str(version), *wrong]).exit_code == 2


def test_a_model_that_fits_no_rows_is_named_to_leave_out(version: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has only items") as e:
        nextset.audit_dataset(version, [MODEL, "builtin:masked-lm"], tmp_path / "out")
    assert "omit --model builtin:masked-lm" in e.value.remedy


def test_results_of_other_rows_are_not_replaced(version: Path, tmp_path: Path) -> None:
    """The same rows with other models are measured again; other rows, or a damaged audit, are refused."""
    out = tmp_path / "out"
    nextset.audit_dataset(version, [MODEL], out)
    again = nextset.audit_dataset(version, [OTHER], out)
    assert again.to_pandas("models")["model"].tolist() == [OTHER]
    other = _scored(tmp_path / "v", "1", 4)
    before = (out / "audit" / "manifest.json").read_bytes()
    with pytest.raises(InputError, match="results of a different audit") as e:
        nextset.audit_dataset(other, [MODEL], out)
    assert "--out" in e.value.remedy
    assert (out / "audit" / "manifest.json").read_bytes() == before
    (out / "audit" / "manifest.json").write_bytes(before[:-9])
    with pytest.raises(DamagedShard) as damaged:
        nextset.audit_dataset(version, [MODEL], out)
    assert "STUDY" not in damaged.value.remedy


def _scores(*tables: pa.Table, **values: Any) -> dict[str, Any]:
    """Released scores of the example in files, with ``values`` in the first row."""
    (first, *more) = tables or (_answers(0, 14),)
    for name, value in values.items():
        column = [value, *first[name].to_pylist()[1:]]
        field = first.schema.field(name)
        place = first.schema.get_field_index(name)
        first = first.set_column(place, field, pa.array(column, field.type))
    return {"items": example_rows(False), "items:controls": example_rows(True), "scores": [first, *more]}


def _answers(begin: int, end: int, label: str = "neutral") -> pa.Table:
    ids = [*example_rows(False)["id"].to_pylist(), *example_rows(True)["id"].to_pylist()]
    return scores_table(dict.fromkeys(ids[begin:end], label), "lab/a", "1")


def _items(**columns: pa.Array) -> dict[str, Any]:
    rows = example_rows(False)
    for name, values in columns.items():
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    return {"items": rows}


def _not_utf8() -> pa.Array:
    raw = pa.array([b"caf\xe9 %d" % i for i in range(12)], pa.binary())
    return pa.Array.from_buffers(pa.string(), 12, raw.buffers())


WRONG_ROWS: dict[str, tuple[Callable[[], dict[str, Any]], str]] = {
    "repeated item": (lambda: {"items": [example_rows(False), example_rows(False)[:1]]}, "more than once"),
    "item in two splits": (
        lambda: {"items": example_rows(False), "items:controls": example_rows(False)[:1]},
        "items of a-set 1.0.0 have the id .* more than once",
    ),
    "repeated score": (
        lambda: _scores(pa.concat_tables([_answers(0, 14), _answers(0, 1, "entailment")])),
        "released scores of lab/a for .* have more than one score",
    ),
    "score in two files": (lambda: _scores(_answers(0, 9), _answers(8, 14)), "have more than one score"),
    "above 1": (lambda: _scores(entailment=7.0), "7.0 as its entailment, which is not in"),
    "below 0": (lambda: _scores(neutral=-0.5), "-0.5 as its neutral"),
    "not a number": (lambda: _scores(contradiction=float("nan")), "nan as its contradiction"),
    "unknown role": (lambda: _scores(role="boss"), "the role 'boss', which is not one of filter"),
    "unknown stance": (
        lambda: _items(stance_design=pa.array(["sideways"] * 12)),
        "the column stance_design has 'sideways', which is not one of pro, anti, test",
    ),
    "unknown verdict": (lambda: _items(verdict=pa.array(["<b>"] * 12)), "the column verdict has '<b>'"),
    "numbers as texts": (
        lambda: _items(premise=pa.array(range(12))),
        "items/test.* the column premise has the type int64 instead of string",
    ),
    "not UTF-8": (lambda: _items(premise=_not_utf8()), "items/test.* UTF8"),
}


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_rows_that_mean_nothing_are_refused_before_a_model_is_asked(name: str, tmp_path: Path) -> None:
    tables, why = WRONG_ROWS[name]
    version = write_version(tmp_path / "v", tables())
    with pytest.raises(ArtifactError, match=why) as e:
        nextset.audit_dataset(version, [MODEL], tmp_path / "out")
    assert "STUDY" not in e.value.remedy
    assert not list((tmp_path / "out").glob("score_*"))


def test_text_of_other_string_types_is_read(tmp_path: Path) -> None:
    names = example_rows(False)["premise"]
    for i, type_ in enumerate((pa.large_string(), pa.dictionary(pa.int32(), pa.string()))):
        version = write_version(tmp_path / f"v{i}", _items(premise=names.cast(type_)))
        assert _values(nextset.audit_dataset(version, [MODEL], tmp_path / f"out{i}"))


def test_released_scores_that_are_left_out_are_counted(tmp_path: Path) -> None:
    found = nextset.audit_dataset(_scored(tmp_path / "v", "1", 3), [OTHER], tmp_path / "out")
    assert found.this_run[f"scores of {MODEL} excluded, since other rows have none"] == 3
