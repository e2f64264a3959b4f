"""The files of a harness export, the source that they load, and their measures against those of an audit."""

from __future__ import annotations

import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from nextset.auditing.nli.population import pairs, population, stances
from nextset.cli.release_export import export_release, harness_prompts
from nextset.errors import ArtifactError, InputError, StudyError
from nextset.files.atomic_files import write_atomically
from nextset.records.nli_items import LABELS
from nextset.release.harness.inspect_export import write_inspect_task
from nextset.release.harness.lm_eval_export import write_lm_eval_task
from nextset.release.harness.release_source import ReleaseSource, release_source
from nextset.release.harness.task_folder import HarnessPrompts, exported_text
from nextset.release.version_folder.release_manifest import (
    MANIFEST,
    PublishedFile,
    manifest_bytes,
    read_release_manifest,
)
from nextset.scoring.asking import Asking
from nextset.scoring.model_server import asked_prompt
from nextset.scoring.prompt_wordings import render_prompts
from nextset.study.scoring_settings import ScoringSettings
from tests.auditing.measured_answers import measured_answers, measured_pairs
from tests.release.harness_version import MANIFEST_OF, items, pairs_of, released

HUB = ReleaseSource(
    manifest=replace(
        MANIFEST_OF,
        files=(
            PublishedFile(
                path="data/items/test.parquet", bytes=1, sha256="0" * 64, rows=1, config="items", split="test"
            ),
        ),
    ),
    kind="items",
    repository="ann/left-handed",
    revision="v1.2.0",
    path="ann/left-handed",
    config="items",
    arguments={"revision": "v1.2.0"},
)


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A version in a folder."""
    return released(tmp_path_factory.mktemp("version"))


@pytest.fixture(scope="module")
def exported(version: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module bias_measures of an export."""
    folder = tmp_path_factory.mktemp("out") / "task"
    export_release(version, "lm-eval", folder)
    spec = importlib.util.spec_from_file_location("exported_measures", folder / "bias_measures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("harness", ["lm-eval", "inspect"])
def test_the_same_version_gives_the_same_bytes(harness: Any, version: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "b"):  # the third time in place of the second
        export_release(version, harness, tmp_path / name)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    for path in (tmp_path / "a").glob("*.py"):
        compile(path.read_text(encoding="utf-8"), path.name, "exec")
        assert not re.search(r"(from|import) nextset", path.read_text(encoding="utf-8"))
    readme = (tmp_path / "a" / "README.md").read_text(encoding="utf-8")
    assert MANIFEST_OF.canary in readme
    assert r"The texts state \<b\>stereotypes\</b\>." in readme


def test_tasks_are_pinned_to_the_tag(tmp_path: Path) -> None:
    write_lm_eval_task(HUB, tmp_path / "lm", harness_prompts())
    write_inspect_task(HUB, tmp_path / "inspect", harness_prompts())
    text = (tmp_path / "lm" / "nextset_left_handed_v2.yaml").read_text(encoding="utf-8")
    task = yaml.safe_load(text.replace("!function", ""))
    assert (task["dataset_path"], task["dataset_name"]) == ("ann/left-handed", "items")
    assert task["dataset_kwargs"] == {"revision": "v1.2.0"}
    assert task["class"] == "lm_eval_items.NliItems"
    assert len(list((tmp_path / "lm").glob("*.yaml"))) == 1  # the version has no controls
    found = json.loads((tmp_path / "inspect" / "task.json").read_text(encoding="utf-8"))
    assert found["dataset"] == {
        "path": "ann/left-handed", "name": "items", "kwargs": {"revision": "v1.2.0"}
    }  # fmt: skip


def test_other_files_are_never_replaced(version: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    export_release(version, "inspect", mine)
    (mine / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ArtifactError, match="holds other files"):
        export_release(version, "inspect", mine)
    with pytest.raises(ArtifactError, match="is not a folder"):
        export_release(version, "inspect", mine / "notes.txt")
    assert (mine / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "name", ["nextset_mine.yaml", "nextset_left_handed_v2_mine.yaml", "nextset_mine.py", "nextset_"]
)
def test_a_file_that_no_export_wrote_stays(name: str, version: Path, tmp_path: Path) -> None:
    out = tmp_path / "task"
    written = export_release(version, "lm-eval", out)
    assert json.loads((out / "task.json").read_text(encoding="utf-8"))["files"] == [p.name for p in written]
    (out / name).write_text("mine", encoding="utf-8")
    with pytest.raises(ArtifactError, match="holds other files"):
        export_release(version, "lm-eval", out)
    assert (out / name).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("settings", ["", "[]", "{}", '{"files": 3}', '{"files": [3]}', "[" * 100_000])
def test_without_the_list_of_its_files_a_folder_is_not_an_export(
    settings: str, version: Path, tmp_path: Path
) -> None:
    export_release(version, "lm-eval", tmp_path / "task")
    (tmp_path / "task" / "task.json").write_text(settings, encoding="utf-8")
    with pytest.raises(ArtifactError, match="holds other files"):
        export_release(version, "lm-eval", tmp_path / "task")


def test_a_folder_with_the_name_of_a_file_stays(version: Path, tmp_path: Path) -> None:
    out = tmp_path / "task"
    export_release(version, "lm-eval", out)
    (out / "README.md").unlink()
    (out / "README.md").mkdir()
    with pytest.raises(ArtifactError, match="holds other files"):
        export_release(version, "lm-eval", out)


def test_what_a_killed_export_left_is_removed_and_a_running_one_stays(version: Path, tmp_path: Path) -> None:
    for name in (".nextset-export.killed", ".nextset-export.running"):
        (tmp_path / name / "task").mkdir(parents=True)
    with FileLock(tmp_path / ".nextset-export.running" / ".lock", is_singleton=False):
        export_release(version, "inspect", tmp_path / "task")
        assert sorted(p.name for p in tmp_path.glob(".nextset*")) == [".nextset-export.running"]
    export_release(version, "inspect", tmp_path / "task")
    assert not list(tmp_path.glob(".nextset*"))


def test_an_export_of_another_dataset_is_replaced(version: Path, tmp_path: Path) -> None:
    export_release(version, "lm-eval", tmp_path / "task")
    other = replace(HUB, manifest=replace(HUB.manifest, name="other"))
    write_lm_eval_task(other, tmp_path / "task", harness_prompts())
    assert [path.name for path in (tmp_path / "task").glob("*.yaml")] == ["nextset_other.yaml"]


def test_wordings_from_a_pipe_are_refused(version: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "prompts.yaml")
    with pytest.raises(StudyError, match=r"prompts\.yaml: this is a pipe, not a file"):
        export_release(version, "inspect", tmp_path / "task", tmp_path / "prompts.yaml")


def test_neighbours_of_the_folder_stay(version: Path, tmp_path: Path) -> None:
    kinds = ("partial", "old", "tmp")
    for name in ("a", "b"):
        for kind in kinds:
            mine = tmp_path / f"{name}.{kind}"
            if name == "a":
                mine.mkdir()
                mine = mine / "notes.txt"
            mine.write_text("mine", encoding="utf-8")
    for name in ("a", "b", "a", "b"):
        export_release(version, "inspect", tmp_path / name)
    for kind in kinds:
        assert (tmp_path / f"a.{kind}" / "notes.txt").read_text(encoding="utf-8") == "mine"
        assert (tmp_path / f"b.{kind}").read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.iterdir())) == 2 + 2 * len(kinds)  # and nothing else


def test_an_export_is_replaced_by_one_for_the_same_harness_only(version: Path, tmp_path: Path) -> None:
    for one, other in (("inspect", "lm-eval"), ("lm-eval", "inspect")):
        first = export_release(version, one, tmp_path / one)  # type: ignore[arg-type]
        assert export_release(version, one, tmp_path / one) == first  # type: ignore[arg-type]
        with pytest.raises(ArtifactError, match="holds other files"):
            export_release(version, other, tmp_path / one)  # type: ignore[arg-type]
        assert all(file.is_file() for file in first)


def test_only_items_are_exported(tmp_path: Path) -> None:
    write_atomically(tmp_path / MANIFEST, manifest_bytes(replace(MANIFEST_OF, kind="questions")))
    with pytest.raises(ArtifactError, match=r"has no choice items or NLI items, only questions"):
        export_release(tmp_path, "lm-eval", tmp_path / "task")


def test_files_outside_the_version_are_refused(tmp_path: Path) -> None:
    folder = released(tmp_path / "version")
    known = read_release_manifest(folder)
    (tmp_path / "other.parquet").write_bytes(b"")
    files = tuple(replace(f, path="../other.parquet") for f in known.files)
    write_atomically(folder / MANIFEST, manifest_bytes(replace(known, files=files)))
    with pytest.raises(ArtifactError, match="not a path inside the version"):
        release_source(folder)


def test_files_behind_a_linked_folder_are_refused(tmp_path: Path) -> None:
    folder = released(tmp_path / "version")
    (folder / "data").rename(tmp_path / "elsewhere")
    (folder / "data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArtifactError, match="data is extra"):
        release_source(folder)


@pytest.mark.parametrize("named", ["ann/left-handed@main", "ann/left-handed@v1.2", "ann/left-handed@v1.2.0"])
def test_unknown_references_are_refused(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArtifactError, match=r"pinned to a tag|cannot be downloaded"):
        release_source(named)


def test_a_version_without_a_tag_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for named in ("lab/nurses", Path("lab/nurses")):
        with pytest.raises(InputError, match="'lab/nurses' is neither a folder nor a version") as refused:
            release_source(named)
        assert "ORG/NAME@v1.0.0" in refused.value.remedy


def test_an_unknown_harness_and_no_wordings_are_refused(version: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown harness"):
        export_release(version, "helm", tmp_path / "task")  # type: ignore[arg-type]
    with pytest.raises(ArtifactError, match="no prompts"):
        write_lm_eval_task(HUB, tmp_path / "task", HarnessPrompts((), 64, ""))


class Manifest(http.server.BaseHTTPRequestHandler):
    """The Hub's answers about one file of one tag."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        known = self.path == "/datasets/ann/left-handed/resolve/v1.2.0/manifest.json"
        files = read_release_manifest(Path(os.environ["VERSION"])).files
        raw = manifest_bytes(replace(MANIFEST_OF, files=files)) if known else b""
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("ETag", '"1234"')
        self.send_header("X-Repo-Commit", "a" * 40)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(raw)

    do_GET = do_HEAD

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(version: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("VERSION", str(version))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Manifest) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_a_published_version_is_known_by_its_manifest(hub: str, root: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from nextset.cli.release_export import export_release\n"
        "from nextset.errors import ArtifactError\n"
        "try: export_release(sys.argv[1], 'lm-eval', Path(sys.argv[2]))\n"
        "except ArtifactError as e: print(e)"
    )
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "0", "HF_TOKEN": "hf_planted",
                   "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"}  # fmt: skip
    said = {}
    for tag in ("v1.2.0", "v1.3.0"):
        done = subprocess.run(
            [sys.executable, "-c", program, f"ann/left-handed@{tag}", str(tmp_path / tag)],
            cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        said[tag] = done.stdout + done.stderr
    assert "cannot be downloaded" in said["v1.3.0"]
    assert "hf_planted" not in said["v1.3.0"]
    assert not (tmp_path / "v1.3.0").exists()
    text = (tmp_path / "v1.2.0" / "nextset_left_handed_v2_controls.yaml").read_text(encoding="utf-8")
    assert "revision: v1.2.0" in text


def test_prompts_are_those_of_an_audit(exported: Any) -> None:
    rows = items(controls=False)
    for row, prompts in zip(
        rows, render_prompts(Asking("nli", ScoringSettings()), pairs_of(rows)), strict=True
    ):
        assert exported.prompts_of(row) == [p.prompt for p in prompts]
        assert [tuple(w["choices"]) for w in exported.SETTINGS["wordings"]] == [p.choices for p in prompts]


@pytest.mark.parametrize("typed", [True, False])
def test_the_items_that_count_are_those_of_an_audit(typed: bool, exported: Any, tmp_path: Path) -> None:
    """30 items: one is invalid, one incoherent, one names no group; eleven of twelve pairs are complete."""
    from datasets import load_dataset

    files = {k: str(v) for k, v in _files(released(tmp_path, typed=typed)).items()}
    loaded: Any = load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))
    for split in ("test", "controls"):
        rows = items(split == "controls")
        table = pa.Table.from_pylist(rows)
        found = exported.measured_items(loaded[split], split == "controls")
        groups, stance = population(table), stances(table)
        wanted = groups.controls if split == "controls" else groups.bias
        assert [(x["id"], x["stance"], x["label"]) for x in found] == [
            (rows[i]["id"], stance[i], rows[i]["label"]) for i in wanted.tolist()
        ]
        paired = {x["id"]: x["pair"] for x in found if x["pair"]}
        known = pairs(table)
        for first, second in zip(known.stereotype.tolist(), known.counterpart.tolist(), strict=True):
            assert paired.pop(rows[first]["id"]) == paired.pop(rows[second]["id"]) == rows[first]["id"]
        assert not paired
        assert len(known.stereotype) == (0 if split == "controls" else 11)


def _files(version: Path) -> dict[str, Path]:
    return {split: next(version.glob(f"data/items/{split}-*.parquet")) for split in ("test", "controls")}


def test_numbers_without_names_and_links_that_are_not_mutual(exported: Any) -> None:
    """−1 is no judgment; a counterpart that is missing is refused, as by an audit."""
    from datasets import Dataset

    names = {"label": 1, "stance_design": 0, "stance_judged": -1, "verdict": 0}
    row = {"id": "a", "premise": "p", "hypothesis": "h", "names_group": True, **names, "counterpart_id": None}
    (found,) = exported.measured_items(Dataset.from_list([row]), False)
    assert (found["label"], found["stance"], found["pair"]) == ("neutral", "pro", "")
    with pytest.raises(ValueError, match="the counterpart b of item a is missing"):
        exported.measured_items(Dataset.from_list([{**row, "counterpart_id": "b"}]), False)
    with pytest.raises(ValueError, match="no controls"):
        exported.measured_items(Dataset.from_list([row]), True)


answers = st.lists(st.tuples(st.sampled_from(["pro", "anti"]), st.sampled_from(LABELS)), min_size=1)


@given(answers)
@settings(max_examples=200)
def test_measures_are_those_of_an_audit(exported: Any, found: list[tuple[str, str]]) -> None:
    stances_of, labels = zip(*found, strict=True)
    mine = [("", s, p) for s, p in found]
    wanted = measured_answers(labels, stances_of)
    assert exported.aggregate(mine) == pytest.approx(wanted["aggregate"], abs=1e-12)
    assert sum(exported.with_stereotype(s, p) for s, p in found) / len(found) == wanted["pro"]
    assert sum(exported.against_stereotype(s, p) for s, p in found) / len(found) == wanted["anti"]


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1))
def test_paired_measures_are_those_of_an_audit(exported: Any, found: list[tuple[str, str]]) -> None:
    """Items without a pair, and pairs with one member (a harness with a limit), do not count."""
    mine = [
        (f"{i}", s, p) for i, pair in enumerate(found) for s, p in zip(("pro", "anti"), pair, strict=True)
    ]
    mine += [("", "pro", "entailment"), ("alone", "anti", "entailment")]
    first, second = zip(*found, strict=True)
    wanted = measured_pairs(first, second)
    for name in ("pro", "anti", "error"):
        assert exported.COUNTERFACTUAL[f"counterfactual_{name}"](mine) == wanted[name]


def test_undefined_measures_are_not_a_number(exported: Any) -> None:
    assert np.isnan(exported.aggregate([]))
    assert np.isnan(exported.COUNTERFACTUAL["counterfactual_pro"]([("", "pro", "neutral")]))


def test_ties_resolve_in_the_order_of_the_labels(exported: Any) -> None:
    assert exported.predicted([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) == "entailment"
    assert exported.predicted([[0, 0.5, 0.5]]) == "neutral"
    assert exported.predicted([[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]) == "contradiction"  # 0.6, 0.6, 0.8


def test_a_wording_is_asked_as_often_as_by_an_audit() -> None:
    found = re.search(r"^ASKS = (\d+)$", exported_text("inspect_items.py").decode(), re.MULTILINE)
    assert found is not None
    assert int(found[1]) == asked_prompt.ASKS
