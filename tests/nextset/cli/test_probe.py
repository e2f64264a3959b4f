"""nextset probe: texts as options and from a pipe, JSON, hostile texts, and what is refused."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import nextset
from nextset.cli.app import app
from nextset.cli.probe_dialogue import Entry, entries, is_question, subjects_of

NLI, READER, MASKED = "builtin:nli-electra", "builtin:qa-roformer", "builtin:masked-lm"
QUAD = ["--context", "{subject1} and {subject2} waited.", "--subjects", "Maria,Thomas"]
ASKED = ["--question", "Who was reading?", "--negated", "Who was not reading?"]


def call(*arguments: str, typed: str | bytes = "") -> Result:
    models = [] if "--model" in arguments else ["--model", NLI]
    return CliRunner().invoke(app, ["probe", *models, *arguments], input=typed)


def test_a_pair() -> None:
    done = call("--premise", "A dog sleeps.", "--hypothesis", "A dog is asleep.")
    assert done.exit_code == 0, done.output
    (answer,) = nextset.probe_pair("A dog sleeps.", "A dog is asleep.", models=NLI).answers
    name, head, row = done.stdout.splitlines()
    assert (name, head.split()) == (NLI, ["entailment", "neutral", "contradiction", "label"])
    assert row.startswith("  A dog sleeps. A dog is asleep.  ")
    assert f"{answer.neutral:.3f}" in row
    assert row.endswith(answer.label)


def test_json_is_the_record() -> None:
    done = call("--model", READER, *QUAD, *ASKED, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    probe = nextset.probe_quad(
        "{subject1} and {subject2} waited.",
        ("Maria", "Thomas"),
        question="Who was reading?",
        negated="Who was not reading?",
        models=READER,
    )
    assert found["answers"][0]["c"] == probe.answers[0].c
    assert found["subjects"] == ["Maria", "Thomas"]
    assert len(found["answers"][0]["arrangements"]) == 4


def test_long_texts_have_lines_of_their_own() -> None:
    premise = "The dog is sleeping on the sofa in the house near the river."
    lines = call("--premise", premise, "--hypothesis", "The dog is asleep.").stdout.splitlines()
    assert lines[2] == f"  {premise} The dog is asleep."
    assert lines[3].split()[-1] in ("entailment", "neutral", "contradiction")


def test_a_dialogue_from_a_pipe() -> None:
    typed = (
        "A dog sleeps.\nIs a dog asleep?\n\n"
        "{subject1} and {subject2} waited.\nWho was reading?\nMaria, Thomas\nWho was not reading?\n"
        "{subject1} and {subject2} waited.\n{{MASK}} was reading.\nMaria, Thomas\n{{MASK}} was not reading.\n"
    )
    done = call("--model", READER, "--model", MASKED, typed=typed)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("prefers ") == 2
    assert done.stdout.count(READER) == 2
    assert done.stdout.count(MASKED) == 1
    assert f"not asked: {MASKED} is a model of the kind masked language model" in done.stderr
    found = json.loads(call("--model", READER, "--model", MASKED, "--json", typed=typed).stdout)
    assert [[answer["form"] for answer in probe["answers"]] for probe in found] == [
        ["qa"],
        ["question"],
        ["statement"],
    ]


def test_a_mask_as_an_option_and_in_a_dialogue() -> None:
    done = call("--model", MASKED, "--statement", "Maria is {{MASK}}.", "--top", "3")
    assert done.exit_code == 0, done.output
    name, *rows = done.stdout.splitlines()
    assert name == MASKED
    (answer,) = nextset.probe_words("Maria is {{MASK}}.", models=MASKED, top=3).answers
    assert [row.split()[0] for row in rows] == [w.words[0] for w in answer.words]
    assert rows[0].split()[1] == f"{answer.words[0].probabilities[0]:.3f}"
    typed = "Maria is {{MASK}}.\n\nA dog sleeps.\nA dog is asleep.\n"
    told = call("--model", MASKED, "--model", NLI, "--top", "3", typed=typed)
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith(done.stdout)
    assert f"not asked: {NLI} is a model of the kind NLI classifier" in told.stderr
    found = json.loads(call("--model", MASKED, "--json", "--top", "1", typed="A {{MASK}}.\n").stdout)
    assert [len(answer["words"]) for answer in found[0]["answers"]] == [1]


def test_a_question_about_a_text() -> None:
    done = call(
        "--model",
        READER,
        "--context",
        "Maria waited and Thomas was reading.",
        "--question",
        "Who was reading?",
    )
    assert done.exit_code == 0, done.output
    name, row = done.stdout.splitlines()
    assert (name, row.split()[0]) == (READER, "Thomas")
    refused = call("--model", READER, "--context", "{subject1} waited.", "--question", "Who?")
    assert (refused.exit_code, "the context has the placeholder {subject1}" in refused.stderr) == (3, True)


def test_an_entry_that_cannot_be_asked_does_not_end_the_dialogue() -> None:
    typed = "A dog {subject3}.\nA dog is asleep.\n\nA dog sleeps.\nA dog is asleep.\n"
    done = call(typed=typed)
    assert done.exit_code == 3
    assert "error: the premise has the placeholder {subject3}" in done.stderr
    assert done.stdout.startswith(f"{NLI}\n")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "nothing was typed"),
        ("\n \n", "nothing was typed"),
        ("A dog sleeps.", "the input ends in the middle of an entry"),
        ("{subject1} sleeps.\nA dog.\n", "the input ends in the middle of an entry"),
        ("{subject1} sleeps.\n{subject1} is asleep.\nMaria\n", "'Maria' does not name two subjects"),
        (b"A dog \xff\xfe.\nA dog.\n", "the input is not UTF-8 text"),
    ],
)
def test_a_pipe_that_cannot_be_read(typed: str | bytes, message: str) -> None:
    done = call(typed=typed)
    assert (done.exit_code, message in done.stderr) == (3, True), done.output
    assert "  try: " in done.stderr


def test_entries_have_one_to_four_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    lines = [
        "a", "b", "", "{subject1}", "b", "A, B", "{subject1} {subject2}", "who?", "A, B", "who not?",
        "{subject1} {subject2}", "{subject1} b", "A, B", "a {{MASK}}", "a", "b {{MASK}}",
    ]  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert list(entries()) == [
        Entry("a", "b"),
        Entry("{subject1}", "b", "A, B"),
        Entry("{subject1} {subject2}", "who?", "A, B", "who not?"),
        Entry("{subject1} {subject2}", "{subject1} b", "A, B"),
        Entry("a {{MASK}}", ""),
        Entry("a", "b {{MASK}}"),
    ]
    assert subjects_of(" A ,B ") == ["A", "B"]
    assert [is_question(text) for text in ("who? ", "谁？", "من؟", "who")] == [True, True, True, False]


def test_hostile_texts_are_shown_with_escapes() -> None:
    hostile = "a\x1b[2J\u202e<script>alert(1)</script>"
    done = call("--premise", hostile, "--hypothesis", "A dog.")
    assert done.exit_code == 0, done.output
    assert r"  a\x1b[2J\u202e<script>alert(1)</script> A dog." in done.stdout
    assert "\x1b" not in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--premise", "a", "--context", "b"], 2, "--premise or --context"),
        (["--hypothesis", "a"], 2, "--premise or --context"),
        (["--premise", "a", "--negated", "b"], 2, "goes with --context"),
        ([*QUAD, "--hypothesis", "b"], 2, "goes with --premise"),
        (["--statement", "a {{MASK}}", "--question", "b?"], 2, "--premise or --context"),
        (["--model", MASKED, "--statement", "a"], 3, "the text has no {{MASK}}"),
        (["--serve", "--premise", "a"], 2, "texts are typed on the page"),
        (["--premise", "a"], 3, "there is no hypothesis"),
        (["--context", "{subject1} {subject2}", *ASKED], 3, "'' does not name two subjects"),
        (["--model", NLI, *QUAD, *ASKED], 6, f"{NLI} is a model of the kind NLI classifier"),
        (["--model", "builtin:none", "--serve"], 6, "there is no built-in model 'none'"),
        (["--model", "builtin:none"], 6, "there is no built-in model 'none'"),
    ],
)
def test_what_is_refused(arguments: list[str], code: int, message: str) -> None:
    done = call(*arguments)
    shown = " ".join(done.stderr.replace("│", " ").split())
    assert (done.exit_code, message in shown) == (code, True), done.output


def test_a_model_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"]}')
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    done = call("--model", str(tmp_path), "--premise", "A dog sleeps.", "--hypothesis", "A dog.")
    assert (done.exit_code, done.stdout) == (6, "")
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = call("--serve", "--port", str(port))
    assert done.exit_code == 10
    assert f"cannot listen on 127.0.0.1:{port}: the port is in use" in done.stderr
