from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from nextset.validation.file_exchange.label_studio_json import read_label_studio_file
from nextset.validation.forms.judged_hypotheses import JUDGED_HYPOTHESES
from nextset.validation.judgments.log_entry import Entry
from nextset.validation.judgments.pseudonyms import pseudonym

KEY = b"a key for these tests"
UNITS = {"u1": {"hypothesis": "Men are calm."}}


def choice(name: str, *values: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "hypothesis", "type": "choices", "value": {"choices": list(values)}}


def annotation(number: int, person: Any, *result: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "completed_by": person,
        "was_cancelled": False,
        "result": list(result),
        "updated_at": f"2026-01-01T00:00:{number % 60:02d}.000000Z",
        "lead_time": 3.5,
        **more,
    }


def write(path: Path, *tasks: tuple[str, list[Any]]) -> Path:
    data = [
        {"id": i, "data": {"unit_id": unit}, "annotations": annotations}
        for i, (unit, annotations) in enumerate(tasks, 1)
    ]
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def read(path: Path) -> list[Entry]:
    return read_label_studio_file(
        path, JUDGED_HYPOTHESES, UNITS, lambda number: pseudonym(number, KEY), "key"
    )


PRO = (choice("verdict", "valid"), choice("stance", "pro"))

answers = st.lists(
    st.tuples(
        st.sampled_from(["u1", "u2", "u3"]), st.integers(1, 4),
        st.sampled_from(["valid", "invalid", "incoherent"]), st.sampled_from(["pro", "anti"]),
    ),
    max_size=12,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answers)
def test_what_annotators_said_comes_back(tmp_path: Path, said: list[tuple[str, int, str, str]]) -> None:
    tasks: list[tuple[str, list[Any]]] = []
    expected = []
    for i, (unit, person, verdict, stance) in enumerate(said, 1):
        result = [choice("verdict", verdict), *([choice("stance", stance)] if verdict == "valid" else [])]
        tasks.append((unit, [annotation(i, person, *result)]))
        judged = stance if verdict == "valid" else None
        expected.append((str(i), unit, pseudonym(str(person), KEY), "judged", verdict, judged))
    found = read(write(tmp_path / "export.json", *tasks))
    got = [(e.annotation, e.unit_id, e.judge, e.outcome, e.verdict, e.stance_judged) for e in found]
    assert got == expected


@pytest.mark.parametrize(
    ("given_", "outcome", "problem"),
    [
        (annotation(1, 7, *PRO, was_cancelled=True), "skipped", ""),
        (annotation(1, 7, choice("verdict", "declined")), "declined", ""),
        (annotation(1, 7), "invalid", "empty"),
        (
            annotation(1, 7, choice("verdict", "maybe")),
            "invalid",
            "unknown choice for verdict: 'maybe' (possible: valid, invalid, incoherent, declined)",
        ),
        (annotation(1, 7, choice("verdict", "valid")), "invalid", "valid without a stance"),
        (annotation(1, None, *PRO), "invalid", "the annotation does not say who answered"),
        ("nonsense", "invalid", "not an annotation"),
    ],
)
def test_what_is_no_judgment_is_kept_with_the_reason(
    tmp_path: Path, given_: Any, outcome: str, problem: str
) -> None:
    (entry,) = read(write(tmp_path / "e.json", ("u1", [given_])))
    assert (entry.outcome, entry.problem, entry.verdict) == (outcome, problem, None)


def test_people_are_pseudonyms_in_both_forms_of_an_export(tmp_path: Path) -> None:
    person = {"id": 7, "email": "someone@example.org", "first_name": "Some"}
    one, other = (
        read(write(tmp_path / "e.json", ("u1", [annotation(1, by, *PRO)])))[0].judge for by in (7, person)
    )
    assert one == other == pseudonym("7", KEY) != pseudonym("7", b"another key of some length")


def test_an_answer_to_another_text_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    tasks = [
        {"data": {"unit_id": "u1", "hypothesis": text}, "annotations": [annotation(i, 7, *PRO)]}
        for i, text in enumerate(("Men are calm.", "Men are loud."))
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = [(e.outcome, e.verdict, e.stance_judged, e.problem) for e in read(path)]
    assert found == [
        ("judged", "valid", "pro", ""),
        ("invalid", None, None, "the hypothesis does not match its unit_id"),
    ]


@pytest.mark.parametrize("written", ["21.11.2026 10:00", 46347.4])
def test_a_time_is_read_or_refused(tmp_path: Path, written: object) -> None:
    path = write(tmp_path / "e.json", ("u1", [annotation(1, 7, *PRO, updated_at=written)]))
    with pytest.raises(JudgmentError, match=f"task #1 .* ISO 8601: {written!a}"):
        read(path)


@pytest.mark.parametrize("other", [8, {"id": 8, "email": "admin@example.org"}])
def test_the_author_is_the_judge_whoever_changed_the_annotation(tmp_path: Path, other: object) -> None:
    made = "2026-01-01T00:30:00Z"
    one = annotation(1, 7, *PRO, updated_by=other, created_at=made)
    (entry,) = read(write(tmp_path / "e.json", ("u1", [one])))
    assert (entry.judge, entry.changed_by) == (pseudonym("7", KEY), pseudonym("8", KEY))
    assert entry.answered_at == "2026-01-01T00:30:00.000000+00:00", "the author's time"
    (own,) = read(write(tmp_path / "e.json", ("u1", [annotation(1, 7, *PRO, updated_by=7, created_at=made)])))
    assert (own.judge, own.changed_by) == (pseudonym("7", KEY), "")
    (gone,) = read(write(tmp_path / "e.json", ("u1", [annotation(1, None, *PRO, updated_by=8)])))
    assert (gone.judge, gone.outcome) == ("", "invalid"), "the author's account was deleted"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b"[1]",
        b'[{"id": 1, "hypothesis": "x"}]',
        b"\xff\xfe[",
        b"[" * 100_000,
        b"[" + b"9" * 9999 + b"]",
    ],
    ids=["empty", "object", "number", "json-min", "utf-16", "deep", "huge number"],
)
def test_what_is_no_export_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "e.json"
    path.write_bytes(raw)
    with pytest.raises(JudgmentError) as e:
        read(path)
    assert str(path) in str(e.value)
    assert e.value.remedy


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match="nowhere"):
        read(tmp_path / "nowhere.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_an_export_cut_anywhere_is_refused_with_its_line(tmp_path: Path, data: st.DataObject) -> None:
    path = write(tmp_path / "e.json", ("u1", [annotation(1, 7, *PRO)]))
    whole = json.dumps(json.loads(path.read_text()), indent=2).replace("u1", "é").encode()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(JudgmentError) as e:
        read(path)
    assert e.value.line
