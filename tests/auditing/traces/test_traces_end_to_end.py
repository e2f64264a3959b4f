"""A whole study with a model that thinks, behind a scripted server: traces, measures, the page, the costs."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import nextset
from nextset.artifacts.artifact import open_artifact
from nextset.auditing.report.thought_payload import LONGEST
from nextset.auditing.stages import AUDIT
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import arrow_schema
from tests.auditing.report.embedded_items import embedded
from tests.scoring.model_server.scripted_server import Reply, Request, ScriptedServer, scripted

MODEL = "openai:thinker"
PROMPTS = """\
format: 1
nli:
  - prompt: "{premise} So: {hypothesis} Answer yes, maybe or no."
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
  - prompt: "Is it right? {premise} {hypothesis} Answer yes, maybe or no."
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
"""
SECRET = "planted-secret-2"
HOSTILE = "</script><img src=x onerror=alert(1)>"

pytestmark = pytest.mark.slow


def answer(request: Request) -> Reply:
    """Thinking that repeats the prompt, and concludes maybe; the second wording answers something else."""
    if request.prompt.startswith("Is it right?"):
        return Reply(f"<think>{request.prompt} {HOSTILE} {'So what? ' * 300}\nMaybe.</think>yes")
    return Reply(request.choices[1], reasoning=f"I read: {request.prompt} {SECRET}. So the answer is maybe.")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[nextset.Study, ScriptedServer]]:
    """A newcomer's study in which the audit asks the scripted model, after a run."""
    folder = nextset.new_study(tmp_path_factory.mktemp("traces") / "mine").file.parent
    (folder / "prompts.yaml").write_text(PROMPTS, encoding="utf-8")
    written = (folder / "study.yaml").read_text(encoding="utf-8")
    assert "audit:" not in written
    (folder / "study.yaml").write_text(
        f"{written}\naudit: {{models: ['{MODEL}']}}\nscoring: {{prompts: prompts.yaml}}\n"
        f"models: {{'{MODEL}': {{canaries_waived: a script}}}}\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch, scripted(answer) as server:
        patch.setenv("NEXTSET_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("OPENAI_BASE_URL", server.address)
        patch.setenv("OPENAI_API_KEY", SECRET)
        study = nextset.Study.load(folder)
        nextset.run(study)
        yield study, server


def test_each_answer_about_a_released_item_has_its_trace(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    study, _ = ran
    traces = open_artifact(study.out / "traces")
    table = traces.table("traces")
    assert table.schema == arrow_schema(AnswerTrace)
    released = open_artifact(study.out / "release").table("items", ["id"])["id"].to_pylist()
    asked = sorted((row["item_id"], row["wording"]) for row in table.to_pylist())
    assert asked == sorted((item, wording) for item in released for wording in (1, 2))
    assert {(row["wording"], row["conclusion"], row["answer"]) for row in table.to_pylist()} == {
        (1, "maybe", "maybe"), (2, "maybe", "yes"),
    }  # fmt: skip


def test_nothing_is_asked_again(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    study, server = ran
    asked = len(server.requests)
    assert asked == len(set(server.prompts))
    nextset.run(study)
    assert len(server.requests) == asked


def test_the_measures_are_in_the_table_of_the_audit(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    """Half of the answers are those of the thinking; every text names its group, so the sides are equal."""
    study, _ = ran
    audited = open_artifact(study.out / "audit")
    rows = audited.table("measures").to_pylist()
    value = {(r["measure"], r["part"]): r["value"] for r in rows if r["measure"].startswith("trace_")}
    assert value["trace_answer", "all"] == pytest.approx(0.5)
    assert value["trace_concludes", "all"] == 1
    assert value["trace_names_group", "all"] == 0
    assert value["trace_characters", "all"] > LONGEST / 2
    with (study.out / "report" / "measures.csv").open(encoding="utf-8", newline="") as file:
        assert {name for name, _ in value} <= {row["measure"] for row in csv.DictReader(file)}
    (sentence,) = AUDIT.conclusions(audited)
    assert re.fullmatch(rf"{MODEL} showed its thinking before [\d,]+ answers? .*: [\d,]+ tokens\.", sentence)


def test_the_page_shows_the_thinking_behind_the_warning(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    study, _ = ran
    page = (study.out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Thinking before answers" in page
    assert HOSTILE not in page
    before, _, explorer = page.partition('id="explorer-gate"')
    assert "So what?" not in before + explorer  # texts are packed, and unpacked after the warning
    items = embedded(page)
    thoughts = items["thoughts"]
    texts = dict(zip(thoughts["wording"], thoughts["texts"], strict=False))
    assert len(texts[2]) == LONGEST
    assert max(thoughts["characters"]) > LONGEST
    assert HOSTILE in texts[2]
    assert thoughts["models"]["values"] == [MODEL]


def test_no_secret_is_anywhere(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    study, _ = ran
    table = open_artifact(study.out / "traces").table("traces")
    texts = [row["text"] for row in table.to_pylist() if row["wording"] == 1]
    assert all("***" in text and SECRET not in text for text in texts)
    for path in study.out.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in json.dumps(embedded((study.out / "report" / "index.html").read_text("utf-8")))


def test_a_dataset_version_has_no_traces(ran: tuple[nextset.Study, ScriptedServer]) -> None:
    """Texts of models about groups are not released."""
    study, _ = ran
    (version,) = (study.out / "dataset").iterdir()
    names = [path.name for path in version.rglob("*") if path.is_file()]
    assert names
    assert not any("trace" in name for name in names)
    for path in version.rglob("*.parquet"):
        assert "So what?" not in json.dumps(pa.parquet.read_table(path).to_pylist(), default=str)


def test_an_audited_version_has_traces_too(ran: tuple[nextset.Study, ScriptedServer], tmp_path: Path) -> None:
    study, server = ran
    (version,) = (study.out / "dataset").iterdir()
    asked = len(server.requests)
    models = {"openai:another": {"canaries_waived": "a script"}}
    audited = nextset.audit_dataset(version, models, out=tmp_path / "results")
    measures = {row["measure"] for row in audited.table("measures").to_pylist()}
    assert "trace_characters" in measures
    assert len(server.requests) > asked  # nextset's own wordings
    page = (tmp_path / "results" / "audit" / "index.html").read_text(encoding="utf-8")
    assert "Thinking before answers" in page


def test_without_traces_nothing_is_stored(ran: tuple[nextset.Study, ScriptedServer], tmp_path: Path) -> None:
    study, _ = ran
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("study.yaml", "prompts.yaml", "templates"):
        source = study.file.parent / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        elif source.exists():
            text = source.read_text(encoding="utf-8").replace("prompts.yaml}", "prompts.yaml, traces: false}")
            (folder / name).write_text(text, encoding="utf-8")
    quiet = nextset.Study.load(folder)
    nextset.run(quiet)
    assert not (quiet.out / "traces").exists()
    measures = open_artifact(quiet.out / "audit").table("measures")["measure"].to_pylist()
    assert not any(name.startswith("trace_") for name in measures)
    assert "Thinking before" not in (quiet.out / "report" / "index.html").read_text(encoding="utf-8")
