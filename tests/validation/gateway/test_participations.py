"""The plans of several studies: one that is damaged leaves the others as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nextset.study.study_folder import Study
from nextset.validation.gateway.participations import Participations
from nextset.validation.judgments.pseudonyms import identity, pseudonym
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.studies_with_sessions import note_study
from nextset.validation.plan.event_log import append_events
from nextset.validation.plan.events import BatchAssigned, Event, PersonLeft, ProjectMade
from tests.validation.gateway.small_server import small_server
from tests.validation.plan.sample_plans import at, joins, opened
from tests.validation.session.sample_study import made_study

KEY = b"a pseudonym key for tests"
ANA = "ana@example.org"
PERSON = pseudonym(identity(ANA), KEY)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[LabelStudio]:
    with small_server() as small, LabelStudio(small.connection(tmp_path)) as studio:
        yield studio


@pytest.fixture
def noted(tmp_path: Path) -> tuple[Study, Study]:
    """Two studies with a session each, in which ana takes part."""
    studies = made_study(tmp_path / "one", 4), made_study(tmp_path / "other", 4)
    for study in studies:
        append_events(study.judgments, [opened(["u1"]), *joins(PERSON)])
        note_study(tmp_path, study.folder)
    return studies


@pytest.mark.parametrize(
    "event",
    [
        PersonLeft(session="1", person=PERSON, at="some day", why="withdrew"),
        BatchAssigned(session="1", person=PERSON, batch=1, items=(), opens="soon"),
        PersonLeft(session="2", person=PERSON, at=at(5), why="withdrew"),
    ],
)
def test_a_plan_that_cannot_be_read_is_left_out(
    tmp_path: Path, studio: LabelStudio, noted: tuple[Study, Study], event: Event
) -> None:
    append_events(noted[0].judgments, [event])
    participations = Participations(tmp_path, KEY, studio)
    participations.read()
    assert [part.folder for part in participations.of(ANA)] == [noted[1].folder]
    assert not participations.stale


def test_a_project_that_has_no_number_is_on_no_server(
    tmp_path: Path, studio: LabelStudio, noted: tuple[Study, Study]
) -> None:
    made = ProjectMade(session="1", person=PERSON, role="work", project="seven")
    append_events(noted[0].judgments, [made])
    participations = Participations(tmp_path, KEY, studio)
    participations.read()
    assert [part.project("work") for part in participations.of(ANA)] == [None, None]


@pytest.mark.parametrize("name", ["/a\\u0000b", "\\ud800"])
def test_a_name_that_no_folder_has_names_no_study(
    tmp_path: Path, studio: LabelStudio, noted: tuple[Study, Study], name: str
) -> None:
    with (tmp_path / "studies.jsonl").open("a") as f:
        f.write(f'{{"study": "{name}"}}\n')
    participations = Participations(tmp_path, KEY, studio)
    assert participations.stale
    participations.read()
    assert [part.folder for part in participations.of(ANA)] == [study.folder for study in noted]


def test_a_changed_study_yaml_applies_and_a_mistake_in_it_sends_nobody_away(
    tmp_path: Path, studio: LabelStudio, noted: tuple[Study, Study]
) -> None:
    participations = Participations(tmp_path, KEY, studio)
    participations.read()
    text = noted[0].file.read_text(encoding="utf-8")
    for changed in (text.replace("support: Talk", "support: Write"), f"{text}\n  x: ["):
        noted[0].file.write_text(changed, encoding="utf-8")
        assert participations.stale
        participations.read()
        assert participations.changed == (noted[0].folder,)
        assert not participations.stale
        part = participations.of(ANA)[0]
        assert part.folder == noted[0].folder
        assert part.settings is not None
        assert part.settings.support.startswith("Write to A. Example")


def test_a_study_whose_folder_is_gone_is_left_out_until_it_returns(
    tmp_path: Path, studio: LabelStudio, noted: tuple[Study, Study]
) -> None:
    participations = Participations(tmp_path, KEY, studio)
    participations.read()
    assert not participations.changed
    one, other = (study.folder for study in noted)
    one.rename(tmp_path / "elsewhere")
    assert participations.stale
    participations.read()
    assert participations.studies() == (other,)
    assert list(participations.changed) == [one], "it is told once"
    assert not participations.stale
    participations.read()
    assert not participations.changed
    (tmp_path / "elsewhere").rename(one)
    assert participations.stale
    participations.read()
    assert set(participations.studies()) == {one, other}
    assert list(participations.changed) == [one], "answers meanwhile are pulled"

    (one / "study.yaml").rename(one / "saved.yaml")
    participations.read()
    assert set(participations.studies()) == {one, other}, "a mistake sends no one away"
