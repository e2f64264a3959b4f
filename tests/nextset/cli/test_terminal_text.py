"""What commands print: a terminal obeys nothing in a text or path, in tables, JSON, log and tracebacks."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from nextset.cli.output import LogLines, errors, print_note, print_result
from nextset.cli.stage_text import preview_text
from nextset.cli.validate_text import opened_text
from nextset.errors import ImportedDataError
from nextset.files.atomic_files import write_atomically
from nextset.files.folder_lock import locked_folder
from nextset.generation.preview import preview
from nextset.study.study_folder import Study
from nextset.validation.session.open import Invited, Opened

HOSTILE = "a\x1b[2J\x9b\u202e\u2066\x7f\x07b"
SHOWN = r"a\x1b[2J\x9b\u202e\u2066\x7f\x07b"


def test_text_and_notes_show_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(HOSTILE, False, None)
    print_note(HOSTILE)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (f"{SHOWN}\n", f"{SHOWN}\n")


def test_json_has_the_escapes_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_result("", True, {HOSTILE: ["é", HOSTILE]})
    written = capsys.readouterr().out
    assert written.replace("\n", "").isprintable()
    assert json.loads(written) == {HOSTILE: ["é", HOSTILE]}
    print_result("", True, ["é"])
    assert "é" in capsys.readouterr().out


def _use(folder: Path, place: Path) -> None:
    """Write to ``place`` as a run does: into it, if it is to be a folder."""
    if place.name == "journal.jsonl":
        place.open("ab").close()
    elif place.name in ("a link", "a file"):
        write_atomically(place / "b" / "c", b"")
    else:
        with locked_folder(folder, "run"):
            pass


@pytest.mark.parametrize("there", [".lock", ".held-by.json", "journal.jsonl", "a link", "a file"])
def test_what_is_in_the_way_is_named_with_the_remedy(
    tmp_path: Path, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / there
    if there == "a link":
        place.symlink_to("gone")
    elif there == "a file":
        place.write_bytes(b"")
    else:
        place.mkdir()
    with pytest.raises(SystemExit) as stopped, errors(False):
        _use(tmp_path, place)
    assert stopped.value.code == 9
    said = f"try: move or remove {place}, which is in the way, and run again"
    assert said in capsys.readouterr().err


def test_a_name_that_is_too_long_is_no_matter_of_the_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit), errors(False):
        (tmp_path / ("a" * 400)).stat()
    assert capsys.readouterr().err.endswith("\n  try: choose a shorter name, and run again\n")


def test_the_log_shows_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    LogLines().handle(logging.makeLogRecord({"msg": "damaged: %s", "args": (HOSTILE,)}))
    assert capsys.readouterr().err == f"damaged: {SHOWN}\n"


@pytest.mark.parametrize("debug", [False, True])
def test_errors_and_their_tracebacks_show_escapes(capsys: pytest.CaptureFixture[str], debug: bool) -> None:
    with pytest.raises(SystemExit) as stopped, errors(debug):
        raise ImportedDataError(HOSTILE, file=HOSTILE, line=1, remedy=HOSTILE)
    assert stopped.value.code == 3
    written = capsys.readouterr().err
    assert f"{SHOWN}:1: {SHOWN}" in written
    assert ("Traceback" in written) == debug
    assert written.replace("\n", "").isprintable()
    with pytest.raises(SystemExit), errors(debug):
        raise OSError(2, "No such file", HOSTILE)
    assert capsys.readouterr().err.replace("\n", "").isprintable()


def test_a_preview_shows_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "s\x1b[31m"
    folder.mkdir()
    (folder / "one.yaml").write_text(
        'format: 1\nstereotype: "s\\u2028s"\ndomain: d\nsource: x\ngroups: {GROUP1: "x\\xad", GROUP2: y}\n'
        'premises: [{text: "A \\u200f {{GROUP1}}.", source: x}]\n'
        'hypotheses: [{text: "B {{GROUP1}}.", question: "Q {{GROUP1}}?"}]\n',
        encoding="utf-8",
    )
    (folder / "study.yaml").write_text(
        "format: 1\nname: s\ntemplates: [one.yaml]\n"
        "filter: {candidates: [plain], models: ['builtin:nli-electra']}\n"
        "release: {name: s, version: 0.1.0}\n",
        encoding="utf-8",
    )
    print_result(preview_text(preview(Study.load(folder), 2)), False, None)
    written = capsys.readouterr().out
    assert r"A \u200f x\xad." in written
    assert written.replace("\n", "").isprintable()


def test_who_failed_the_gate_twice_is_not_said_to_begin_there() -> None:
    people = (
        Invited("ana@x.org", "A", "http://here/1", "retry", failed=True),
        Invited("ben@x.org", "B", "http://here/1", "retry", failed=False),
    )
    done = Opened("1", "main", 3, people, new=False, warnings=())
    assert opened_text(done).splitlines()[1:] == [
        "  ana@x.org (A) failed both tries of the gate and gets no units",
        "  ben@x.org (B) begins at the second try of the gate:",
        "    http://here/1",
    ]
