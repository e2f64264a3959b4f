"""The artifact traces: thinking that a server sends apart or in its text, read from the stored answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nextset.artifacts.artifact import Artifact
from nextset.records.answer_traces import AnswerTrace
from nextset.records.arrow_schema import records_of, table_of
from nextset.records.nli_items import NliItem
from nextset.records.question_quads import QuestionQuad, Span
from nextset.redaction import hide
from nextset.scoring.score_requests import ask_items, score_models
from nextset.scoring.trace_stage import NOT_STORED, write_traces
from nextset.study.study_folder import Study
from tests.choice_rows import choice_items
from tests.records import ITEM
from tests.scoring.model_server.scripted_server import Reply, Request, ScriptedServer, scripted

MODEL = "openai:thinker"
ITEMS = table_of(
    [
        replace(ITEM, id=f"{i:032x}", premise=f"It rains {i} times.", hypothesis="It is wet.")
        for i in range(3)
    ],
    NliItem,
)
PROMPTS = """\
format: 1
nli:
  - prompt: "First: {premise} So: {hypothesis} yes, maybe or no?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
  - prompt: "Second: {premise} Is this right: {hypothesis} yes, maybe or no?"
    choices: {entailment: "yes", neutral: maybe, contradiction: "no"}
"""


def answer(request: Request) -> str | Reply:
    """The first wording is answered with thoughts apart, the second with thoughts in the text; item 2 never
    shows any."""
    if "2 times" in request.prompt:
        return "no"
    if request.prompt.startswith("First"):
        return Reply("maybe", reasoning="Rain is wet. So the answer is yes. But who knows?")
    return "<think>It says so. Maybe.</think>yes"


def study_with(folder: Path, scoring: str = "") -> Study:
    folder.mkdir(exist_ok=True)
    (folder / "prompts.yaml").write_text(PROMPTS, encoding="utf-8")
    (folder / "study.yaml").write_text(
        f"format: 1\nname: small\nscoring: {{prompts: prompts.yaml{scoring}}}\nvalidate: {{judge: rule}}\n"
        "release: {name: small, version: 0.1.0}\n"
        "filter: {candidates: [plain], models: [builtin:nli-electra]}\n"
        f"audit: {{models: ['{MODEL}', builtin:nli-albert]}}\n"
        f"models: {{'{MODEL}': {{canaries_waived: a script}}}}\n",
        encoding="utf-8",
    )
    return Study.load(folder)


def traced(study: Study) -> Artifact:
    """Ask the scripted model about the items, then read its thinking."""
    asked = [ask_items("score_audit", ITEMS, (MODEL,), "audit")]
    score_models(study, asked[0])
    return write_traces(study, asked)


def rows(traces: Artifact) -> list[AnswerTrace]:
    return records_of(traces.table("traces"), AnswerTrace)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., ScriptedServer]:
    monkeypatch.setenv("NEXTSET_CACHE", str(tmp_path / "cache"))

    def addressed(running: ScriptedServer) -> ScriptedServer:
        monkeypatch.setenv("OPENAI_BASE_URL", running.address)
        return running

    return addressed


def test_thinking_is_read_from_the_store_without_asking_again(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    """Thoughts apart have eleven words, which the script counts as tokens; those in the text are not
    counted."""
    with scripted(answer) as running:
        server(running)
        study = study_with(tmp_path / "study")
        traces = traced(study)
        assert len(running.requests) == 6  # three items in two wordings
    found = rows(traces)
    apart = [trace for trace in found if trace.wording == 1]
    inside = [trace for trace in found if trace.wording == 2]
    assert [trace.item_id for trace in apart] == [f"{i:032x}" for i in (0, 1)]
    assert {(t.text, t.tokens, t.conclusion, t.answer) for t in apart} == {
        ("Rain is wet. So the answer is yes. But who knows?", 11, "yes", "maybe")
    }
    assert {(t.text, t.tokens, t.conclusion, t.answer) for t in inside} == {
        ("It says so. Maybe.", None, "maybe", "yes")
    }
    assert {(t.model, t.role, t.form, t.input, t.sample, t.outcome) for t in found} == {
        (MODEL, "audit", "nli", 0, 1, "")
    }
    assert traces.counts.get(NOT_STORED, 0) == 0


def test_an_answer_after_a_reminder_has_the_thinking_before_it(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    def at_last(request: Request) -> str | Reply:
        if request.reminders == 0:
            return Reply("It rains.", reasoning="First thoughts.")
        return Reply("no", reasoning="Second thoughts.")

    with scripted(at_last) as running:
        server(running)
        found = rows(traced(study_with(tmp_path / "study")))
    assert {(trace.text, trace.answer) for trace in found} == {("Second thoughts.", "no")}


def test_the_outcome_of_an_answer_without_a_choice_is_recorded(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    with scripted(lambda request: Reply("", reasoning="I must not.", refusal="No comment.")) as running:
        server(running)
        found = rows(traced(study_with(tmp_path / "study")))
    assert {(trace.answer, trace.outcome, trace.text) for trace in found} == {("", "refused", "I must not.")}


def test_tokens_of_hidden_thinking_count_without_a_text(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 40,
        "completion_tokens_details": {"reasoning_tokens": 39},
    }
    with scripted(lambda request: Reply("no", usage=usage)) as running:
        server(running)
        found = rows(traced(study_with(tmp_path / "study")))
    assert {(trace.text, trace.tokens, trace.conclusion) for trace in found} == {("", 39, "")}
    assert len(found) == 6


def test_a_model_that_shows_no_thinking_gives_an_empty_table(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    with scripted(lambda request: "no") as running:
        server(running)
        traces = traced(study_with(tmp_path / "study"))
    assert rows(traces) == []
    assert traces.counts.get(NOT_STORED, 0) == 0


def test_answers_that_were_removed_from_the_store_are_counted(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    with scripted(answer) as running:
        server(running)
        study = study_with(tmp_path / "study")
        asked = [ask_items("score_audit", ITEMS, (MODEL,), "audit")]
        score_models(study, asked[0])
        (tmp_path / "cache" / "answers.sqlite").unlink()
        traces = write_traces(study, asked)
    assert rows(traces) == []
    assert traces.counts[NOT_STORED] == 6


def test_secrets_in_thinking_are_hidden(server: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    hide("planted-secret-1")
    with scripted(lambda request: Reply("no", reasoning="The key is planted-secret-1.")) as running:
        server(running)
        traces = traced(study_with(tmp_path / "study"))
    assert {trace.text for trace in rows(traces)} == {"The key is ***."}
    stored = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"planted-secret-1" in content for content in stored)


def test_each_sample_has_its_trace(server: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    """Two answers to each of six prompts, from two seeds."""

    def by_seed(request: Request) -> Reply:
        return Reply("no", reasoning=f"Seed {request.body['seed']}.")

    sampled = ", server: {samples: 2, temperature: 0.5}"
    with scripted(by_seed) as running:
        server(running)
        found = rows(traced(study_with(tmp_path / "study", sampled)))
    assert {(trace.sample, trace.text) for trace in found} == {(1, "Seed 0."), (2, "Seed 1.")}
    assert len(found) == 12


def test_a_quad_has_four_inputs(server: Callable[..., ScriptedServer], tmp_path: Path) -> None:
    """The four texts of a quad are told apart; the choices are the subjects."""

    def first_subject(request: Request) -> Reply:
        subject = min(request.choices[:2], key=request.prompt.index)
        return Reply(subject, reasoning=f"Answer: {subject}.")

    quad = _quad()
    with scripted(first_subject) as running:
        server(running)
        folder = tmp_path / "study"
        folder.mkdir()
        (folder / "study.yaml").write_text(
            "format: 1\nname: small\nquestions: {packs: ['builtin:en']}\n"
            f"audit: {{models: ['{MODEL}']}}\n"
            f"models: {{'{MODEL}': {{canaries_waived: a script}}}}\n",
            encoding="utf-8",
        )
        study = Study.load(folder)
        asked = [ask_items("score_audit", table_of([quad], QuestionQuad), (MODEL,), "audit", "question")]
        score_models(study, asked[0])
        found = rows(write_traces(study, asked))
    assert sorted({trace.input for trace in found}) == [0, 1, 2, 3]
    assert {(trace.conclusion, trace.conclusion == trace.answer) for trace in found} == {
        ("Ann", True),
        ("Bob", True),
    }


def _quad() -> QuestionQuad:
    first, second = Span(0, 3), Span(8, 11)
    return QuestionQuad(
        id="0" * 32, language="en", subject_class="people", template_id="t", attribute="late",
        attribute_kind="act", attribute_cluster="", subject1="Ann", subject2="Bob", cluster1="", cluster2="",
        context_12="Ann met Bob.", context_21="Bob met Ann.", question="Who was late?",
        question_negated="Who was never late?", subject1_in_12=first, subject2_in_12=second,
        subject1_in_21=second, subject2_in_21=first,
    )  # fmt: skip


def test_each_order_of_the_options_has_its_thinking_and_answers_are_texts(
    server: Callable[..., ScriptedServer], tmp_path: Path
) -> None:
    """A model that concludes with a letter and answers with the option's text: both are told as texts."""

    def chooses(request: Request) -> str | Reply:
        line = next(
            line for line in request.prompt.splitlines() if "The grandson" in line and "met" not in line
        )
        return Reply("The grandson", reasoning=f"He lost it. So the answer is {line[0]}.")

    with scripted(chooses) as running:
        server(running)
        study = study_with(tmp_path / "study")
        text = study.file.read_text(encoding="utf-8")
        study.file.write_text(text.replace("scoring: {prompts: prompts.yaml}\n", ""), encoding="utf-8")
        study = Study.load(study.folder)
        asked = [ask_items("score_audit", choice_items(1, 1).slice(0, 1), (MODEL,), "audit", "choice")]
        score_models(study, asked[0])
        found = rows(write_traces(study, asked))
    assert sorted((t.wording, t.input) for t in found) == [(w, n) for w in (1, 2) for n in range(3)]
    assert {t.answer for t in found} == {"The grandson"}
    assert {t.conclusion for t in found if t.wording == 1} == {"The grandson"}
    assert {t.conclusion for t in found if t.wording == 2} == {""}  # its list has no letters
