"""How far a session is, going by its logs."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import Recipe
from nextset.artifacts.build import Part, PartResult, build
from nextset.cli.validate_text import closed_text, session_text
from nextset.errors import JudgmentError, ServerError, WaitingForPeople
from nextset.records.arrow_schema import table_of
from nextset.records.nli_items import NliItem
from nextset.release.refused_release import _unjudged
from nextset.study.study_folder import Study
from nextset.study.validation_settings import PauseSeatSettings
from nextset.validation.agreement.annotator_quality import SeatQuality, limit_crossed, seat_quality
from nextset.validation.judgments.judgment_log import append
from nextset.validation.label_studio.address_and_token import Connection
from nextset.validation.label_studio.api import Account, LabelStudio
from nextset.validation.label_studio.http_retries import Patience
from nextset.validation.label_studio.local_annotators import local_annotators, note_annotator
from nextset.validation.plan.event_log import EventLog, append_events
from nextset.validation.plan.events import (
    AssignedItem,
    BatchAssigned,
    BatchPushed,
    PersonJoined,
    PersonLeft,
    SessionClosed,
)
from nextset.validation.session.annotators import annotators, people_of
from nextset.validation.session.close import close_session
from nextset.validation.session.join_and_leave import leave_session
from nextset.validation.session.open import open_session, session_materials
from nextset.validation.session.session_status import SessionStatus, session_status
from nextset.validation.stage import apply_judgments
from nextset.validation.study_units import kept_units
from tests.docs_pages import ROOT
from tests.validation.plan.sample_plans import at, entry, joins, opened
from tests.validation.session.sample_study import SESSION, kept, made_study


def begun(folder: Path) -> tuple[Study, list[str]]:
    """A session of three units with overlap 2; A and B have them all."""
    study = made_study(folder, n=3)
    units = sorted(session_materials(study).unit_ids)
    append_events(
        study.judgments, [opened(units, overlap=2), *joins("A"), *joins("B", declined=("religion",))]
    )
    for person in "AB":
        items = tuple(AssignedItem(u, "unit") for u in units)
        append_events(
            study.judgments,
            [
                BatchAssigned(session="1", person=person, batch=1, items=items),
                BatchPushed(session="1", person=person, batch=1),
            ],
        )
    return study, units


def test_no_session_opens_when_there_is_nothing_left_to_judge(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(u, p, i * 2 + (p == "B") + 1) for i, u in enumerate(units) for p in "AB"])
    append_events(study.judgments, [SessionClosed(session="1", at=at(99))])
    nobody = LabelStudio(Connection("http://127.0.0.1:9", "token"), Patience(reads=0.0))
    with pytest.raises(ServerError):  # it is asked
        open_session(study, nobody)
    # C judged in a file.
    append(study.judgments, [entry(u, "C", f"#{i}", session="") for i, u in enumerate(units)])
    with pytest.raises(JudgmentError, match="every unit already has the judgments"):
        open_session(study, nobody)


def status(study: Study) -> SessionStatus:
    found = session_status(study)
    assert found is not None
    return found


def test_a_closed_session_says_how_many_units_have_enough(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(u, p, i * 2 + (p == "B") + 1) for i, u in enumerate(units) for p in "AB"])
    append_events(study.judgments, [SessionClosed(session="1", at=at(99))])
    found = status(study)
    assert (found.open, found.units, found.enough, found.begun, found.nobody_left) == (False, 3, 3, 0, 0)


def test_who_has_nothing_open_but_a_declined_domain_is_done(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    facts = session_materials(study).facts
    left = [u for u in units if facts[u].domain != "religion"]
    append(study.judgments, [entry(u, "B", i + 1) for i, u in enumerate(left)])
    assert {p.person: p.state for p in status(study).people} == {"A": "working", "B": "done"}


def test_who_has_finished_a_batch_is_on_a_break_until_the_next_is_sent(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", n=3)
    units = sorted(session_materials(study).unit_ids)
    items = tuple(AssignedItem(u, "unit") for u in units)
    first = BatchAssigned(session="1", person="A", batch=1, items=items[:2])
    second = BatchAssigned(session="1", person="A", batch=2, items=items[2:], opens=at(600))
    sent = [BatchPushed(session="1", person="A", batch=number) for number in (1, 2)]
    append_events(study.judgments, [opened(units), *joins("A"), first, sent[0], second])
    append(study.judgments, [entry(units[0], "A", 1)])
    assert status(study).people[0].state == "working"
    append(study.judgments, [entry(units[1], "A", 2)])
    assert status(study).people[0].state == "on a break"
    append_events(study.judgments, [sent[1]])
    assert status(study).people[0].state == "working"


def test_an_answer_in_the_project_of_another_is_among_those_of_that_project(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(units[0], "A", 1), entry(units[1], "A", 2, project="work-1-B")])
    found = status(study)
    assert {p.person: p.in_log for p in found.people} == {"A": 1, "B": 1}
    assert found.not_counted == {"another person's project": 1}
    page = (ROOT / "docs" / "tutorials" / "run_a_session.md").read_text(encoding="utf-8")
    columns = next(line for line in session_text(found).splitlines() if line.startswith("  person"))
    assert columns in page.splitlines()  # the tutorial shows the table of today


def test_judgments_from_files_are_part_of_the_status(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    # C and D judged in files; two judgments are enough
    in_files = [
        entry(units[0], "C", "#2", session=""),
        entry(units[0], "D", "#2", session=""),
        entry(units[1], "D", "#3", session="", outcome="declined"),
    ]
    append(study.judgments, in_files)
    found = status(study)
    assert (found.from_files, found.by_file, found.enough) == (2, 2, 1)
    assert found.not_counted == {"declined": 1}
    assert "judgments from files: 2 of 3 in the log count, by 2 people" in session_text(found)


def test_without_a_session_the_judgments_from_files_are_the_status(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    assert session_status(study) is None
    units = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()
    rows = [(units[0], "C"), (units[0], "D"), (units[0], "E"), (units[1], "C")]
    append(study.judgments, [entry(u, p, f"#{i}", session="") for i, (u, p) in enumerate(rows)])
    found = status(study)
    assert study.settings.validate_.session is not None
    assert study.settings.validate_.session.overlap == 3
    assert (found.session, found.units, found.enough, found.begun) == ("", len(units), 1, 1)
    first, second, *_ = session_text(found).splitlines()
    assert first == f"no session yet: {len(units)} units, 1 with enough judgments, 1 begun"
    assert second == "  judgments from files: 4 of 4 in the log count, by 3 people"


def test_the_status_of_files_adds_up_with_the_log(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    one = entry(units[0], "C", "#2", session="")
    append(study.judgments, [one, entry(units[0], "A", 1)])
    in_files = [
        replace(one, digest="other"),  # takes the place of the first
        entry(units[0], "A", "#2", session=""),  # A answered it in the session
        entry(units[1], "C", "#3", session="", outcome="declined"),
        replace(entry(units[1], "D", "#4", session="", outcome="invalid"), problem="empty"),
    ]
    append(study.judgments, in_files)
    found = status(study)
    assert found.not_counted == {
        "declined": 1,
        "empty": 1,
        "replaced by a later answer": 1,
        "second answer": 1,
    }
    assert found.in_files == found.from_files + sum(found.not_counted.values()) == 5


def test_without_a_session_the_status_of_files_adds_up(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study")
    unit = kept_units(study.out, study.filter, study.settings.validate_.unit)["unit_id"].to_pylist()[0]
    one = entry(unit, "C", "#2", session="")
    append(study.judgments, [one])
    append(study.judgments, [replace(one, digest="other")])
    found = status(study)
    assert (found.in_files, found.from_files) == (2, 1)
    assert found.not_counted == {"replaced by a later answer": 1}


def test_an_answer_to_a_changed_text_leaves_the_item_open(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(u, "A", i + 1) for i, u in enumerate(units)])
    assert [p.state for p in status(study).people] == ["done", "working"]
    # She edited her first answer after someone had changed the text.
    edited = replace(entry(units[0], "A", 1, outcome="altered"), digest="edited", answered_at=at(50))
    append(study.judgments, [edited])
    found = status(study)
    assert [p.state for p in found.people] == ["working", "working"]
    assert found.not_counted == {"altered": 1}
    append(study.judgments, [entry(units[0], "A", 9)])
    assert status(study).people[0].state == "done"


def test_only_those_whose_accounts_serve_made_are_invited_unasked(tmp_path: Path) -> None:
    accounts = [Account(1, "owner@localhost"), Account(2, "ana@example.org"), Account(3, "made@example.org")]
    people = people_of(accounts, b"a key for the tests")
    note_annotator(tmp_path, "ana@example.org")
    note_annotator(tmp_path, "ana@example.org")
    noted = local_annotators(tmp_path)
    assert noted == {"ana@example.org"}
    assert [p.email for p in annotators(people, [], (), noted)] == ["ana@example.org"]
    assert [p.email for p in annotators(people, ["made@example.org"], (), noted)] == ["made@example.org"]
    with pytest.raises(ServerError, match="no annotators are named"):
        annotators(people, [], (), ())


def test_the_status_names_templates_whose_units_wait(tmp_path: Path) -> None:
    template = "{{GROUP1}} keep {{MASK}} numbers."
    study = made_study(
        tmp_path / "study", n=30, session=SESSION + "    overlap: 1\n    postpone_below: 0.2\n"
    )
    _generated(study, template)
    materials = session_materials(study)
    units = sorted(materials.unit_ids)
    append_events(study.judgments, [opened(units, overlap=1, stop_below=0.2), *joins("A")])
    append(study.judgments, [entry(u, "C", f"#{i}", session="") for i, u in enumerate(units[:23])])
    assert status(study).waiting == ()  # 23 that are not valid leave the interval above 0.2
    append(study.judgments, [entry(units[23], "C", "#99", session="")])
    found = status(study)
    (share,) = found.waiting
    assert (share.units, share.judged, share.valid, share.waiting) == (30, 24, 0, 6)
    said = session_text(found)
    assert (
        "at the end of the queue: 6 units of 1 template, because the interval of the valid share is below 0.2"
        in said
    )
    assert f"s: {template}: 0 of 24 valid (0 to 20 %), 6 waiting" in said
    # only a main session has a floor, and a closed one has no queue
    append_events(study.judgments, [SessionClosed(session="1", at=at(999))])
    assert status(study).waiting == ()


def _generated(study: Study, hypothesis: str) -> None:
    """Give all kept items one template, which out/generate has."""
    rows = kept(30).to_pylist()
    table = table_of(
        [NliItem(**{**row, "template_id": "t", "stereotype": "s"}) for row in map(_item, rows)], NliItem
    )
    shutil.rmtree(study.out / "filter")
    build(
        study.out / "filter",
        Recipe("filter", 1, {}, {"rows": 30}),
        lambda: [Part("kept", lambda: PartResult(table))],
    )
    templates = pa.table({"template_id": ["t"], "hypothesis": [hypothesis]})
    build(
        study.out / "generate",
        Recipe("generate", 1),
        lambda: [Part("templates", lambda: PartResult(templates))],
    )


def _item(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "missed_by"}


def test_a_fast_person_with_wrong_gold_items_is_seen_and_beyond_a_limit_paused(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    materials = session_materials(study)
    gold = {"g1": "valid", "g2": "valid"}
    items = [AssignedItem(u, "unit") for u in (*units, *(f"u{i}" for i in range(6)))]
    items += [AssignedItem(g, "gold") for g in gold]
    more = BatchAssigned(session="1", person="A", batch=2, items=tuple(items[3:]))
    append_events(study.judgments, [more])
    # the median of 0.2, 0.3, …, 1.2 is 0.7; both gold items are invalid, and the first was corrected to valid
    rows = [
        replace(entry(x.unit_id, "A", i, verdict="invalid"), seconds=0.2 + i / 10)
        for i, x in enumerate(items)
    ]
    append(
        study.judgments,
        [*rows, replace(entry("g1", "A", 9, verdict="valid"), answered_at=at(50), seconds=1.2)],
    )
    found = seat_quality(materials.counted(EventLog(study.judgments)), gold, "work-1-A")
    assert replace(found, seconds=None) == SeatQuality(11, None, 2, 1)
    assert found.seconds == pytest.approx(0.7)
    assert limit_crossed(found, None) == ""
    assert limit_crossed(found, PauseSeatSettings(seconds=0.6)) == ""
    assert limit_crossed(found, PauseSeatSettings(seconds=2)).startswith(
        "the median time of 11 answers is 0.7 s"
    )
    assert limit_crossed(found, PauseSeatSettings(gold=1)).startswith("1 of 2 gold items are wrong")
    assert limit_crossed(replace(found, timed=9), PauseSeatSettings(seconds=2)) == "", "too few to say"
    later = seat_quality(materials.counted(EventLog(study.judgments)), gold, "work-1-A", since=at(40))
    assert (later.timed, later.wrong_gold) == (1, 0), "answers since a person joined again"
    text = session_text(status(study))
    assert re.search(r"A +done .* 0\.7 ", text)
    assert "A answers within 0.7 s at the median: hardly anyone reads so fast" in text
    append_events(study.judgments, [PersonLeft(session="1", person="A", at=at(60), why="paused")])
    assert status(study).people[0].state == "paused"
    append_events(study.judgments, [PersonJoined(session="1", at=at(70), person="A", account="account-A")])
    assert status(study).people[0].state == "done"


def test_what_changed_in_study_yaml_is_in_the_status_and_stops_a_run(tmp_path: Path) -> None:
    begun(tmp_path / "study")
    smaller = made_study(tmp_path / "study", n=2)
    (gone,) = [line for line in status(smaller).warnings if "no longer kept" in line]
    assert gone.startswith("1 unit of the session is no longer kept by the filter")
    assert f"warning: {gone}" in session_text(status(smaller))
    with pytest.raises(WaitingForPeople, match=f"; since then, {gone}"):
        apply_judgments(smaller)


def test_a_close_names_the_units_left_and_what_becomes_of_them(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(units[0], "A", 1), entry(units[0], "B", 2), entry(units[1], "A", 3)])
    closed = close_session(study, None)
    assert (closed.units, closed.unjudged, closed.begun) == (3, 1, 1)
    assert closed.left is not None
    assert closed.left.read_text(encoding="utf-8") == f"unit_id,judgments\n{units[1]},1\n{units[2]},0\n"
    text = closed_text(closed)
    assert f"left without enough judgments: 2 of 3 units, listed in {closed.left}" in text
    assert "1 unit is unjudged: it is not released" in text
    assert "1 unit has fewer judgments than asked for: these decide" in text
    assert "open another session: nextset validate open STUDY" in text
    apply_judgments(study)
    remedy, words = _unjudged(study.out)  # the beginning of what a release says if pairs are incomplete
    assert words == "1 unit is unjudged, of 3, so counterparts of judged items are missing: "
    assert remedy == f"have the rest judged: `nextset validate open {study.folder}`; otherwise "


def test_an_erasure_lists_the_verdicts_that_the_judgments_made(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    judged = {("A", 0): "invalid", ("B", 0): "incoherent", ("A", 1): "invalid", ("B", 1): "invalid"}
    append(
        study.judgments,
        [
            entry(units[i], person, n, verdict=verdict)  # type: ignore[arg-type]
            for n, ((person, i), verdict) in enumerate({**judged, ("B", 2): "invalid"}.items(), 1)
        ],
    )
    close_session(study, None)
    left = leave_session(study, "B", erase=True)
    # a tie is decided, a verdict stays, and one has no judgment any more
    assert left.changed == {units[0]: "tie → invalid", units[2]: "invalid → no verdict"}
    assert left.recomputed == 3


def test_a_close_with_nothing_left_says_so(tmp_path: Path) -> None:
    study, units = begun(tmp_path / "study")
    append(study.judgments, [entry(u, p, i * 2 + (p == "B") + 1) for i, u in enumerate(units) for p in "AB"])
    closed = close_session(study, None)
    assert closed.left is None
    assert "all 3 units have enough judgments" in closed_text(closed)
