"""People's parts in the sessions of the recorded studies, and their projects, as the plans say."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nextset.errors import NextsetError, ServerError
from nextset.study.study_folder import Study
from nextset.study.validation_settings import SessionSettings
from nextset.validation.judgments.pseudonyms import identity, pseudonym
from nextset.validation.label_studio.api import LabelStudio
from nextset.validation.label_studio.projects import Project
from nextset.validation.label_studio.studies_with_sessions import noted_studies, study_gone
from nextset.validation.plan.event_log import PLAN_NAME, EventLog
from nextset.validation.plan.events import Role
from nextset.validation.plan.state import Participant, Session
from nextset.validation.session.annotator_link import session_key
from nextset.validation.session.person_projects import found_projects

__all__ = ["Participation", "Participations", "Place"]

_LOGGER = logging.getLogger(__name__)
_JUDGMENTS = "judgments"
_SETTINGS = "study.yaml"


@dataclass(frozen=True)
class Participation:
    """A person's part in a session."""

    folder: Path
    """The study's folder."""
    key: str
    """The key in the session's link."""
    session: Session
    participant: Participant
    """The person's part in it."""
    here: frozenset[str]
    """The numbers of the person's projects that are on this server."""
    settings: SessionSettings | None
    """The study's section validate.session; null if it no longer has one."""
    study: str = ""
    """The study's name."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """The labelling configuration of each of the person's projects that are on this server, by number."""

    @property
    def open(self) -> bool:
        """True if the session is open."""
        return self.session.closed_at is None

    @property
    def language(self) -> str:
        """The language of its pages, a BCP 47 tag."""
        return self.session.opened.language or "en"

    def project(self, role: Role) -> int | None:
        """Return the number of the person's project of that role; None if it is not on this server."""
        number = self.participant.projects.get(role, "")
        return int(number) if number in self.here else None


@dataclass(frozen=True)
class Place:
    """A project of a person."""

    role: Role
    """The role of the project."""
    participation: Participation
    """The part that it belongs to."""

    @property
    def may_judge(self) -> bool:
        """True if the person may answer here now. A gate is always open, so that consent can be withdrawn."""
        p = self.participation
        return self.role != "work" or (p.open and p.participant.active)


@dataclass(frozen=True)
class _Plans:
    """The contents of all recorded plans."""

    stamps: Mapping[Path, tuple[int, int]]
    """The modification time and size of each plan's file, and of each study.yaml."""
    parts: tuple[Participation, ...]
    """The parts of all people in all sessions, the latest sessions last."""

    @cached_property
    def by_person(self) -> Mapping[str, tuple[Participation, ...]]:
        """The parts by pseudonym."""
        parts: dict[str, tuple[Participation, ...]] = {}
        for part in self.parts:
            parts[part.participant.person] = (*parts.get(part.participant.person, ()), part)
        return parts


class Participations:
    """The plans of the studies recorded in ``folder``, and their settings, read again when they change.

    ``key`` makes pseudonyms; ``studio`` says which of the plans' projects are on this server.
    """

    def __init__(self, folder: Path, key: bytes, studio: LabelStudio) -> None:
        self._folder, self._key, self._studio = folder, key, studio
        self._plans = _Plans({}, ())
        self._gone: frozenset[Path] = frozenset()
        self.changed: tuple[Path, ...] = ()
        """The studies whose study.yaml had changed, or which had gone or returned, when last read."""

    @property
    def stale(self) -> bool:
        """Return whether a plan or a study.yaml has changed since it was read."""
        return self._stamps() != self._plans.stamps

    def studies(self) -> tuple[Path, ...]:
        """Return the folders of the studies with an open session, as last read."""
        return tuple(dict.fromkeys(p.folder for p in self._plans.parts if p.open))

    def parts(self) -> tuple[Participation, ...]:
        """Return the parts of all people in all sessions, as last read."""
        return self._plans.parts

    def of(self, email: str) -> tuple[Participation, ...]:
        """Return the parts of the person with that e-mail, the latest sessions last, as last read."""
        return self._plans.by_person.get(pseudonym(identity(email), self._key), ())

    def places(self, email: str) -> Mapping[int, Place]:
        """Return the person's projects on this server, by number, as last read."""
        return {
            int(number): Place(role, part)
            for part in self.of(email)
            for role, number in part.participant.projects.items()
            if number in part.here
        }

    def read(self) -> None:
        """Read the plans, and ask the server for its projects.

        If a plan or its study.yaml cannot be read, the log gives the reason, and what was read before, if
        anything, stays: a mistake in a file does not send away people who judge. A study whose folder is gone
        is left out until it returns. Raises ServerError if the server does not answer, or if the list of
        studies cannot be read.
        """
        stamps = self._stamps()
        noted, before = self._noted(), self._plans.stamps
        gone = frozenset(folder for folder in noted if study_gone(folder))
        on_server = self._studio.projects() if len(gone) < len(noted) else {}
        parts: list[Participation] = []
        for folder in noted:
            if folder in gone:
                continue
            try:
                parts += _of_study(folder, on_server)
            except ServerError:
                raise
            except (NextsetError, OSError) as e:
                _LOGGER.warning("%s: %s", folder, e)
                parts += [part for part in self._plans.parts if part.folder == folder]
        edited = {
            path.parent
            for path, stamp in stamps.items()
            if path.name == _SETTINGS and before.get(path, stamp) != stamp
        }
        self.changed = tuple(folder for folder in noted if folder in edited | (gone ^ self._gone))
        self._plans, self._gone = _Plans(stamps, tuple(parts)), gone

    def _noted(self) -> tuple[Path, ...]:
        try:
            return noted_studies(self._folder)
        except (NextsetError, OSError) as e:
            raise ServerError(
                f"the list of the studies with a session on this server cannot be read: {e}",
                remedy="correct it, or remove it and run `nextset validate open STUDY` again for each study",
            ) from None

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        stamps = {}
        for folder in self._noted():
            for path in (folder / _JUDGMENTS / PLAN_NAME, folder / _SETTINGS):
                try:
                    stat = path.stat()
                except OSError:
                    continue
                stamps[path] = (stat.st_mtime_ns, stat.st_size)
        return stamps


def _of_study(folder: Path, on_server: Mapping[int, Project]) -> list[Participation]:
    study = Study.load(folder)
    state = EventLog(study.judgments).state
    if not state.sessions:
        return []
    there = found_projects(on_server, state)
    settings = study.settings.validate_.session
    return [
        Participation(
            folder,
            session_key(session.opened.mark),
            session,
            participant,
            frozenset(p for p in participant.projects.values() if (number, p) in there),
            settings,
            study.settings.name,
            {p: there[number, p].config for p in participant.projects.values() if (number, p) in there},
        )
        for number, session in state.sessions.items()
        for participant in session.people.values()
    ]
