from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nextset.errors import JudgmentError
from validation.judgments.given import GivenJudgment, Problem
from validation.judgments.label_studio_export import read_export
from validation.judgments.log import LOG_NAME, append, latest, read
from validation.judgments.pseudonyms import pseudonym
from validation.page.labelling_config import NOT_JUDGED

KEY = b"a key for these tests"
UNITS = ["u1", "u2", "u3"]


def choice(name: str, *values: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "hypothesis", "type": "choices", "value": {"choices": list(values)}}


def annotation(
    number: int, person: Any, *result: Any, cancelled: bool = False, at: str = ""
) -> dict[str, Any]:
    return {
        "id": number,
        "completed_by": person,
        "was_cancelled": cancelled,
        "result": list(result),
        "updated_at": at or f"2026-01-01T00:00:{number % 60:02d}.000000Z",
        "lead_time": 3.5,
    }


def write(path: Path, *tasks: tuple[str, list[Any]]) -> Path:
    data = [
        {"id": i, "data": {"unit_id": unit}, "annotations": annotations}
        for i, (unit, annotations) in enumerate(tasks, 1)
    ]
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


PRO = (choice("verdict", "valid"), choice("stance", "pro"))


def problems_of(path: Path) -> list[str]:
    found = read_export(path, UNITS, KEY)
    assert not found.judgments
    return [p.reason for p in found.problems]


answers = st.lists(
    st.tuples(
        st.sampled_from(UNITS), st.integers(1, 4), st.sampled_from(["valid", "invalid", "incoherent"]),
        st.sampled_from(["pro", "anti"]), st.text(max_size=10),
    ),
    unique_by=lambda a: a[:2],
    max_size=12,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(answers)
def test_what_annotators_said_comes_back(
    tmp_path: Path, given_: list[tuple[str, int, str, str, str]]
) -> None:
    tasks: list[tuple[str, list[Any]]] = []
    expected = []
    for i, (unit, person, verdict, stance, reason) in enumerate(given_, 1):
        result: list[Any] = [choice("verdict", verdict)]
        if verdict == "valid":
            result.append(choice("stance", stance))
        if reason:
            result.append({"from_name": "reason", "type": "textarea", "value": {"text": [reason]}})
        tasks.append((unit, [annotation(i, person, *result)]))
        judged = stance if verdict == "valid" else None
        expected.append((unit, pseudonym(str(person), KEY), verdict, judged, reason))
    found = read_export(write(tmp_path / "export.json", *tasks), UNITS, KEY)
    got = [(j.unit_id, j.judge, j.verdict, j.stance_judged, j.reason) for j in found.judgments]
    assert got == expected
    assert not found.problems
    log = tmp_path / "log"
    append(log, found.judgments, found.problems)
    assert [j for j in found.judgments if j not in read(log).judgments] == []
    again = append(log, found.judgments, found.problems)
    assert (again.new, again.already) == (0, len(expected))


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        (annotation(1, 7, *PRO, cancelled=True), "skipped"),
        (annotation(1, 7), "empty"),
        (annotation(1, 7, choice("verdict", NOT_JUDGED)), "would rather not judge"),
        (annotation(1, 7, choice("verdict", "maybe")), "unknown choice as verdict: 'maybe'"),
        (annotation(1, 7, choice("verdict", "valid")), "valid, but without a stance"),
        (annotation(1, 7, choice("verdict", "valid", "invalid")), "2 choices as verdict, where one belongs"),
        (
            annotation(1, 7, {"from_name": "verdict", "type": "rating", "value": 3}),
            "its verdict is not a choice",
        ),
        (annotation(1, None, *PRO), "it does not say whose answer it is"),
        (annotation(1, 7, 5), "its result is not a list of answers"),
        ("nonsense", "not an annotation"),
    ],
)
def test_an_answer_that_does_not_count_is_a_problem(tmp_path: Path, given_: Any, reason: str) -> None:
    assert problems_of(write(tmp_path / "e.json", ("u1", [given_]))) == [reason]


def test_an_unknown_unit_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", ("other", [annotation(1, 7, *PRO)]))
    assert problems_of(path) == ["the unit is not in this study"]


def test_of_two_answers_of_one_person_the_lower_number_counts(tmp_path: Path) -> None:
    second = annotation(12, 7, choice("verdict", "invalid"))
    path = write(tmp_path / "e.json", ("u1", [second]), ("u1", [annotation(9, 7, *PRO)]))
    found = read_export(path, UNITS, KEY)
    assert [(j.annotation, j.verdict) for j in found.judgments] == [("9", "valid")]
    assert found.problems == [Problem("1", "12", "a second answer of the same person to the same unit")]


def test_people_are_pseudonyms_in_both_forms_of_an_export(tmp_path: Path) -> None:
    person = {"id": 7, "email": "someone@example.org", "first_name": "Some"}
    found = [
        read_export(write(tmp_path / "e.json", ("u1", [annotation(1, by, *PRO)])), UNITS, KEY).judgments
        for by in (7, person)
    ]
    assert found[0] == found[1]
    append(tmp_path / "log", found[1], [])
    assert "someone" not in (tmp_path / "log" / LOG_NAME).read_text()
    assert found[0][0].judge == pseudonym("7", KEY) != pseudonym("7", b"another key of some length")


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
        read_export(path, UNITS, KEY)
    assert str(path) in str(e.value)
    assert e.value.remedy


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError, match="nowhere"):
        read_export(tmp_path / "nowhere.json", UNITS, KEY)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_an_export_cut_anywhere_is_refused_with_its_line(tmp_path: Path, data: st.DataObject) -> None:
    path = write(tmp_path / "e.json", ("u1", [annotation(1, 7, *PRO)]))
    whole = json.dumps(json.loads(path.read_text()), indent=2).replace("u1", "é").encode()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(JudgmentError) as e:
        read_export(path, UNITS, KEY)
    assert e.value.line


def judgment(
    unit: str = "u1", verdict: Any = "valid", at: str = "2026-01-01", judge: str = "a-1"
) -> GivenJudgment:
    return GivenJudgment(
        unit_id=unit,
        verdict=verdict,
        stance_judged="pro" if verdict == "valid" else None,
        judge=judge,
        annotation="1",
        reason="",
        answered_at=at,
        seconds=None,
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_torn_line_costs_no_other_and_is_never_deleted(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "judgments"
    path = folder / LOG_NAME
    path.unlink(missing_ok=True)
    append(folder, [judgment("u1")], [])
    first = path.read_bytes()
    append(folder, [judgment("u2")], [Problem("1", "2", "skipped")])
    whole = path.read_bytes()
    torn = whole[: data.draw(st.integers(len(first), len(whole)))]
    path.write_bytes(torn)
    assert read(folder).judgments[0] == judgment("u1")
    append(folder, [judgment("u1"), judgment("u2"), judgment("u3")], [Problem("1", "2", "skipped")])
    assert path.read_bytes().startswith(torn)
    log = read(folder)
    assert sorted(j.unit_id for j in log.judgments) == ["u1", "u2", "u3"]
    assert log.problems == [Problem("1", "2", "skipped")]
    assert len(log.torn) <= 1


def test_the_answer_given_last_counts_in_whatever_order_exports_come(tmp_path: Path) -> None:
    old, new = judgment(at="2026-01-01"), judgment(verdict="invalid", at="2026-01-02")
    for name, order in (("a", [old, new]), ("b", [new, old])):
        for given_ in order:
            append(tmp_path / name, [given_], [])
        assert latest(read(tmp_path / name).judgments) == [new]
    assert append(tmp_path / "a", [old, new], []).new == 0


def test_an_empty_log_is_no_error(tmp_path: Path) -> None:
    assert read(tmp_path).judgments == []
    assert append(tmp_path, [], []).new == 0
    assert not list(tmp_path.iterdir())
