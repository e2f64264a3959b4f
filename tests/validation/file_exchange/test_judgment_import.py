"""What `validate import` makes of a file: which answers count, and pseudonyms on the terminal alone."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from nextset.cli.app import app
from nextset.cli.validate_text import imported_text
from nextset.errors import JudgmentError
from nextset.files.atomic_files import write_atomically
from nextset.study.study_folder import Study
from nextset.validation.file_exchange.judgment_import import ImportedJudgments, import_judgments
from nextset.validation.judgments.judgment_log import read
from nextset.validation.judgments.pseudonyms import KEY_VARIABLE, pseudonym
from nextset.validation.plan.counting_rules import Counted, count
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import PersonJoined, PersonLeft
from nextset.validation.plan.state import fold
from nextset.validation.study_units import kept_units
from tests.validation.filtered_study import kept_study
from tests.validation.plan.sample_plans import at, opened

KEY = "a key for the tests, long enough"


def imported(folder: Path, file: Path, *options: str, exit_code: int = 0) -> str:
    done = CliRunner().invoke(app, ["validate", "import", str(folder), str(file), *options])
    assert done.exit_code == exit_code, done.output
    return done.output


def test_the_pseudonyms_of_a_table_are_printed_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = kept_study(tmp_path / "s", ["Men are calm.", "Women are loud."])
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    people = [*zip(units, ("Ada@example.org", "ada@example.org"), strict=True), (units[0], "ben@example.org")]
    table = "unit_id,judge,verdict,stance,reason,comment\n"
    file = tmp_path / "judgments.csv"
    file.write_text(table + "".join(f"{unit},{who},invalid,,,\n" for unit, who in [*people, (units[0], "")]))
    ada, ben = (pseudonym(f"{name}@example.org", KEY.encode()) for name in ("ada", "ben"))
    # one row does not name its judge
    assert imported(study.folder, file, exit_code=3).endswith(
        f"people: 2\n  Ada@example.org ({ada})\n  ben@example.org ({ben})\n"
    )
    again = json.loads(imported(study.folder, file, "--json", exit_code=3))["people"]
    assert again == [{"name": "Ada@example.org", "person": ada}, {"name": "ben@example.org", "person": ben}]
    written = [path for path in study.folder.rglob("*") if path.is_file()]
    assert any(ada in path.read_text() for path in written if path.suffix == ".jsonl")
    for path in written:
        text = str(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else path.read_text()
        assert "@example.org" not in text, path


def test_a_wrong_answer_is_named_with_the_words_that_it_may_be_and_fails_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = kept_study(tmp_path / "s", ["Men are calm.", "Women are loud."])
    first, second = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    file = tmp_path / "judgments.csv"
    head = "unit_id,judge,verdict,stance,reason,comment\n"
    file.write_text(f"{head}{first},ada,vaild,pro,,\n{second},ada,valid,pro,,\n")
    shown = imported(study.folder, file, exit_code=3)
    assert "counted: 1, not counted: 1" in shown
    assert "'vaild' (possible: valid, invalid, incoherent, declined): line 2" in shown
    assert "1 answer is wrong: correct it and import again" in shown
    # an item left to others is no mistake
    file.write_text(f"{head}{first},ada,declined,,,\n{second},ada,valid,pro,,\n")
    assert "counted: 1, not counted: 1" in imported(study.folder, file)


def test_the_accounts_of_an_export_are_printed_by_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    study = kept_study(tmp_path / "s", ["Men are calm."])
    (unit,) = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    answer = {"from_name": "verdict", "to_name": "h", "type": "choices", "value": {"choices": ["invalid"]}}
    annotations = [
        {"id": i, "completed_by": {"id": person, "email": "ada@example.org"}, "result": [answer]}
        for i, person in enumerate((7, 7, 12))
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps([{"data": {"unit_id": unit}, "annotations": annotations}]))
    shown = imported(study.folder, file).splitlines()[-3:]
    assert shown == ["people: 2", *(f"  account {n} ({pseudonym(str(n), KEY.encode())})" for n in (7, 12))]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    return kept_study(tmp_path / "s", ["Men are calm.", "Women are loud."])


def units_of(study: Study) -> list[str]:
    ids: list[str] = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    return ids


def table(study: Study, *rows: str, name: str = "judgments.csv") -> Path:
    """A CSV file; a row has the number of a unit, then what was answered."""
    ids = units_of(study)
    lines = [f"{ids[int(row[0])]}{row[1:]}" for row in rows]
    file = study.folder.parent / name
    file.write_text("\n".join(["unit_id,judge,verdict,stance,reason,comment,answered_at", *lines, ""]))
    return file


def verdicts(study: Study) -> list[tuple[str, str]]:
    """What was said last, by unit; a declined unit has none."""
    counted = count(read(study.judgments).entries, fold([]), units_of(study))
    held = [c.entry for c in counted if c.why_not not in ("superseded", "invalid")]
    return sorted((e.unit_id, e.verdict or e.outcome) for e in held)


@pytest.mark.parametrize(
    ("said", "times"),
    [
        (["invalid", "incoherent", "invalid"], ["", "", ""]),
        (["invalid", "incoherent"], ["2026-11-21 10:00", ""]),
        (["invalid", "incoherent"], ["", "2026-11-21 10:00"]),
        (["invalid", "incoherent"], ["2026-11-21 10:00", "2026-01-21 10:00"]),  # a slip in a time by hand
        (["invalid", "declined", "invalid"], ["", "", ""]),
    ],
)
@pytest.mark.parametrize("imports", ["one file", "several files"])
def test_what_was_said_last_counts(study: Study, said: list[str], times: list[str], imports: str) -> None:
    rows = [f"0,Kim,{verdict},,,,{at}" for verdict, at in zip(said, times, strict=True)]
    for some in [rows] if imports == "one file" else [[row] for row in rows]:
        import_judgments(study, table(study, *some))
    assert verdicts(study) == [(units_of(study)[0], said[-1])]
    log = (study.judgments / "log.jsonl").read_bytes()
    again = import_judgments(study, table(study, *(rows if imports == "one file" else rows[-1:])))
    assert (again.new, again.replaced) == (0, 0)
    assert (study.judgments / "log.jsonl").read_bytes() == log


def test_the_counts_of_an_import_add_up_and_every_row_is_told(study: Study) -> None:
    import_judgments(study, table(study, "0,Kim,invalid,,,,", "1,Kim,invalid,,,,"))
    rows = [
        "0,Kim,incoherent,,,,",  # line 2: replaces what Kim said before
        "1,Kim,incoherent,,,,",  # line 3: contradicted by line 5
        "1,Ben,,,,,",  # line 4: not answered
        "1,Kim,valid,pro,,,",
        "1,Ben,declined,,,,",
        "1,Ada,valid,,,,",
        "1,Ada,invalid,,,,",  # lines 8 and 9: the same twice
        "1,Ada,invalid,,,,",
        "0,,invalid,,,,",
    ]
    file = table(study, *rows)
    done = import_judgments(study, file)
    assert (done.answers, done.new, done.already) == (8, 7, 0)
    assert done.repeated == 1  # line 9 repeats line 8
    assert done.problems == (
        ("line 3", "the same annotator answers this unit again in line 5, differently"),
        ("line 6", "declined"),
        ("line 7", "valid without a stance"),
        ("line 8", "the same annotator answers this unit again in line 9"),
        ("line 10", "the row does not name its judge"),
    )
    assert (done.counting, done.unanswered, done.replaced) == (3, (4,), 2)
    first = imported_text(done).splitlines()[0]
    counts = "8 answers, 7 new, 0 already in the log and 1 repeated in the file"
    assert first == f"{file}: {counts}; counted: 3, not counted: 5"
    # the same rows in other lines are the same answers
    moved = import_judgments(study, table(study, *rows[::2], *rows[1::2][::-1], name="sorted.csv"))
    assert (moved.answers, moved.counting) == (8, 3)
    assert moved.new + moved.already + moved.repeated == 8


def test_a_spoilt_row_or_file_leaves_earlier_judgments(study: Study) -> None:
    import_judgments(study, table(study, "0,Kim,invalid,,,,", "1,Kim,incoherent,,,,"))
    kept = verdicts(study)
    done = import_judgments(study, table(study, "0,Kim,valid,,,,", "1,Kim,maybe,,,,"))
    assert (done.counting, len(done.problems), done.replaced) == (0, 2, 0)
    assert verdicts(study) == kept
    log = (study.judgments / "log.jsonl").read_bytes()
    for file in (
        table(study, "0,Kim,incoherent,,,,yesterday"),
        table(study, "0,Kim,incoherent", name="a.jsonl"),
    ):
        with pytest.raises(JudgmentError):
            import_judgments(study, file)
    assert (study.judgments / "log.jsonl").read_bytes() == log
    # mended, the row counts
    import_judgments(study, table(study, "0,Kim,valid,pro,,,"))
    one, other = units_of(study)
    assert verdicts(study) == [(one, "valid"), (other, "incoherent")]


def test_an_export_with_the_right_text_counts_after_one_with_a_wrong_text(study: Study) -> None:
    rows = kept_units(study.out, study.filter, study.settings.validate_.unit).to_pylist()
    answer = {"from_name": "verdict", "to_name": "h", "type": "choices", "value": {"choices": ["invalid"]}}
    annotation = {"id": 1, "completed_by": 7, "result": [answer], "updated_at": "2026-01-01T10:00:00Z"}
    file = study.folder.parent / "export.json"

    def export(*texts: str) -> ImportedJudgments:
        data = [
            {
                "data": {"unit_id": row["unit_id"], "hypothesis": text},
                "annotations": [{**annotation, "id": i}],
            }
            for i, (row, text) in enumerate(zip(rows, texts, strict=True))
        ]
        file.write_text(json.dumps(data))
        return import_judgments(study, file)

    right = [row["hypothesis"] for row in rows]
    swapped = export(*right[::-1])
    assert (swapped.counting, [why for _, why in swapped.problems]) == (
        0,
        ["the hypothesis does not match its unit_id"] * 2,
    )
    assert export(*right).counting == 2
    assert export(*right[::-1]).counting == 0
    assert len(verdicts(study)) == 2, "a wrong text takes no earlier judgment back"


def test_what_a_person_takes_back_no_longer_counts(study: Study) -> None:
    import_judgments(study, table(study, "0,Kim,invalid,,,,", "1,Kim,incoherent,,,,"))
    import_judgments(study, table(study, "0,Kim,declined,,,,", "1,Kim,declined,,,,"))
    answer = {"from_name": "verdict", "to_name": "h", "type": "choices", "value": {"choices": ["invalid"]}}
    annotation = {"id": 1, "completed_by": 7, "result": [answer], "updated_at": "2026-01-01T10:00:00Z"}
    file = study.folder.parent / "export.json"
    for taken_back in (False, True):
        annotations = [{**annotation, "was_cancelled": taken_back}]
        file.write_text(json.dumps([{"data": {"unit_id": units_of(study)[0]}, "annotations": annotations}]))
        assert import_judgments(study, file).waiting == 1 + taken_back


def exported(study: Study, *annotations: tuple[int, int, str, str], changed_by: int | None = None) -> Path:
    """An export of the first unit; an annotation is its number, account, verdict and time."""
    made = []
    for number, account, verdict, time in annotations:
        choice = {"from_name": "verdict", "type": "choices", "value": {"choices": [verdict]}}
        times = {"created_at": MORNING, "updated_at": time, "updated_by": changed_by or account}
        made.append({"id": number, "completed_by": account, "result": [choice], **times})
    file = study.folder.parent / "export.json"
    file.write_text(json.dumps([{"data": {"unit_id": units_of(study)[0]}, "annotations": made}]))
    return file


MORNING, NOON = "2026-01-01T09:00:00Z", "2026-01-01T12:00:00Z"


def test_an_annotation_that_an_export_has_twice_counts_once(study: Study) -> None:
    done = import_judgments(study, exported(study, *[(1, 7, "invalid", MORNING)] * 2))
    assert (done.answers, done.new, done.counting) == (2, 1, 1)
    assert done.problems == (("annotation 1", "the file has this annotation more than once"),)
    # without times the last state of the file holds, and it is there already when read again
    file = exported(study, *[(2, 8, verdict, "") for verdict in ("invalid", "incoherent", "invalid")])
    for new in (3, 0):
        done = import_judgments(study, file)
        assert (done.answers, done.new, done.counting) == (3, new, 1)


def test_an_answer_is_replaced_if_it_counted_before(study: Study) -> None:
    import_judgments(study, exported(study, (9, 7, "invalid", MORNING)))
    # the lower number counts: 9 becomes a second answer
    done = import_judgments(study, exported(study, (3, 7, "invalid", NOON)))
    assert (done.counting, done.replaced) == (1, 1)
    # a declined unit had no judgment that could be replaced
    import_judgments(study, exported(study, (20, 8, "declined", MORNING)))
    done = import_judgments(study, exported(study, (20, 8, "invalid", NOON)))
    assert (done.counting, done.replaced) == (1, 0)
    done = import_judgments(study, exported(study, (20, 8, "declined", "2026-01-01T13:00:00Z")))
    assert (done.counting, done.replaced) == (0, 1)


def test_after_a_change_of_key_an_export_has_the_answers_of_before(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(study, (1, 7, "invalid", MORNING), (2, 8, "incoherent", NOON))
    import_judgments(study, file)
    monkeypatch.setenv(KEY_VARIABLE, f"another {KEY}")
    done = import_judgments(study, file)
    assert (done.new, done.counting, done.replaced) == (0, 2, 0)


def test_columns_that_are_missing_or_not_read_are_told(study: Study) -> None:
    file = table(study, "0,Kim,invalid,,,,")
    file.write_text(file.read_text().replace("comment,", "comment,mood,").replace(",invalid,", ",invalid,,"))
    told = imported_text(import_judgments(study, file)).splitlines()
    assert "  ignored columns: mood" in told
    assert (
        "  warning: whether one column was sorted by itself cannot be checked, since some answers lack the "
        "text of: hypothesis"
    ) in told


@pytest.mark.parametrize("read_before", [True, False])
def test_a_star_of_an_administrator_takes_nobodys_judgment(study: Study, read_before: bool) -> None:
    answers = [(i, account, verdict, MORNING) for i, (account, verdict) in enumerate(GIVEN)]
    if read_before:
        import_judgments(study, exported(study, *answers))
    starred = [(i, account, verdict, NOON) for i, account, verdict, _ in answers]
    done = import_judgments(study, exported(study, *starred, changed_by=1))
    # the administrator's account 1 has given none of the three answers
    assert (done.answers, done.counting, done.replaced, done.problems) == (3, 3, 0, ())
    assert done.new == (0 if read_before else 3)
    assert [p.name for p in done.people] == [f"account {a}" for a, _ in GIVEN]
    assert verdicts(study) == sorted((units_of(study)[0], verdict) for _, verdict in GIVEN)
    assert len(done.changed) == (0 if read_before else 3)
    assert ("to check: annotation 0, annotation 1" in imported_text(done)) is not read_before


GIVEN = [(7, "invalid"), (8, "incoherent"), (9, "invalid")]


def test_a_verdict_that_another_changed_is_not_the_authors(study: Study) -> None:
    import_judgments(study, exported(study, (5, 7, "invalid", MORNING)))
    done = import_judgments(study, exported(study, (5, 7, "incoherent", NOON), changed_by=1))
    assert (done.new, done.counting, done.problems) == (1, 0, (("annotation 5", "changed by another"),))
    assert [c.entry.verdict for c in judged(study)] == ["invalid"]
    # back again, and then changed by the author
    import_judgments(study, exported(study, (5, 7, "invalid", NOON), changed_by=1))
    assert [c.entry.verdict for c in judged(study)] == ["invalid"]
    import_judgments(study, exported(study, (5, 7, "incoherent", "2026-01-01T13:00:00Z")))
    assert [c.entry.verdict for c in judged(study)] == ["incoherent"]


def test_a_log_that_took_the_administrator_for_the_judge_is_mended(study: Study) -> None:
    # as it was read before its author counted: annotation 5 of account 7 as one of account 1
    import_judgments(study, exported(study, (5, 1, "invalid", NOON)))
    import_judgments(study, exported(study, (5, 7, "invalid", NOON), changed_by=1))
    (only,) = judged(study)
    assert only.person == pseudonym("7", KEY.encode())


def judged(study: Study) -> list[Counted]:
    counted = count(read(study.judgments).entries, fold([]), units_of(study))
    return [c for c in counted if c.is_verdict]


SPELLINGS = [
    "José Núñez", "Jose\u0301 Nu\u0301n\u0303ez", "José\u00a0Núñez", "José  Núñez", "José\u3000Núñez",
    "JOSÉ NÚÑEZ", "\u200bJosé Nú\u200dñez\ufeff", "José Nú\u00adñez", "\uff2aosé Núñez",
    "\u2066José Núñez\u2069", "José\tNúñez\ufe0f",
]  # fmt: skip


def test_one_person_in_several_spellings_is_one_annotator(study: Study) -> None:
    rows = [f"{i % 2},{name},invalid,,,," for i, name in enumerate(SPELLINGS)]
    done = import_judgments(study, table(study, *rows))
    assert [p.name for p in done.people] == SPELLINGS[:1]
    assert (done.counting, len({c.person for c in judged(study)})) == (2, 1)
    for other in ("Jose Nunez", "José Núñez Junior"):
        import_judgments(study, table(study, f"0,{other},invalid,,,,"))
    assert len({c.person for c in judged(study)}) == 3, "other names are other people"
    done = import_judgments(study, table(study, "0,\u200b,invalid,,,,"))
    assert done.problems == (("line 2", "the row does not name its judge"),)


def test_an_export_with_a_time_in_the_future_is_refused(study: Study) -> None:
    with pytest.raises(JudgmentError, match="updated_at is in the future: '2999"):
        import_judgments(study, exported(study, (1, 7, "invalid", "2999-01-01T00:00:00Z")))


def test_a_person_of_files_is_erased_and_stays_so(study: Study) -> None:
    rows = ["0,Kim,invalid,,,I am Kim,", "0,Ben,incoherent,,,,", "1,Kim,invalid,,,,"]
    import_judgments(study, table(study, *rows))
    one, other = units_of(study)
    copy = study.judgments / "backup" / "merge-1" / ".0123.tmp"  # as a kill leaves it
    write_atomically(copy, (study.judgments / "log.jsonl").read_bytes())
    done = CliRunner().invoke(app, ["validate", "leave", str(study.folder), "KIM", "--erase"])
    assert done.exit_code == 0, done.output
    assert "is erased: 2 lines of the log are removed" in done.output
    assert "2 verdicts were computed again from the other judgments, and 2 changed" in done.output
    assert f"{one}: tie → incoherent" in done.output
    assert f"{other}: invalid → no verdict" in done.output
    assert "I am Kim" not in (study.judgments / "log.jsonl").read_text()
    again = import_judgments(study, table(study, *rows))
    assert (again.new, again.erased, again.answers) == (0, 2, 1)
    assert "not added, since the person was erased: 2" in imported_text(again)
    assert [c.entry.verdict for c in judged(study)] == ["incoherent"]
    assert not copy.exists()
    nobody = CliRunner().invoke(app, ["validate", "leave", str(study.folder), "Kim", "--erase"])
    assert nobody.exit_code == 3
    assert "no annotator with this e-mail or pseudonym" in nobody.output


def test_the_comments_of_who_withdrew_do_not_come_back_with_a_file(study: Study) -> None:
    import_judgments(study, table(study, "0,Kim,invalid,,,,", "0,Ben,invalid,,,mine,"))
    (kim,) = {c.person for c in judged(study) if not c.entry.comment}
    joined = PersonJoined(session="1", at=at(1), person=kim, account="4")
    left = PersonLeft(session="1", person=kim, at=at(2), why="withdrew")
    append_events(study.judgments, [opened(units_of(study)), joined, left])
    import_judgments(study, table(study, "1,Kim,invalid,,,I am Kim,"))
    assert {c.entry.comment for c in judged(study)} == {"", "mine"}
