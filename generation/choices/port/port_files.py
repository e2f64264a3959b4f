"""The files of a port that a study names: the sheet of decisions and the answers of people."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nextset.errors import WordListError
from nextset.files.file_hash import file_sha256
from nextset.files.file_search import files_below
from nextset.generation.choices.port.decision_sheet import read_decisions
from nextset.generation.choices.port.ported_templates import Port
from nextset.generation.choices.port.stereotype_survey import read_survey
from nextset.study.choice_settings import PortSettings

__all__ = ["PortFiles", "read_port"]


@dataclass(frozen=True)
class PortFiles:
    """A port, and its files."""

    port: Port
    files: dict[Path, bytes]
    """The content of the sheet of decisions."""
    digests: dict[str, str]
    """The digests of the survey's files, of which no copy is kept: they are about people."""


def read_port(settings: PortSettings, resolve: Callable[[str], Path]) -> PortFiles:
    """Read the files that ``settings`` name; raises WordListError with file, line and remedy."""
    files: dict[Path, bytes] = {}
    digests: dict[str, str] = {}
    sheet, decisions, survey = None, {}, None
    if settings.decisions:
        sheet = resolve(settings.decisions)
        decisions = read_decisions(sheet)
        files[sheet] = sheet.read_bytes()
    if settings.survey:
        answers = resolve(settings.survey)
        survey = read_survey(answers, settings.people)
        named = sorted(files_below(answers, (".csv",), WordListError)) if answers.is_dir() else [answers]
        digests = {os.path.relpath(file, answers): file_sha256(file) for file in named}
    return PortFiles(Port(settings, sheet, decisions, survey), files, digests)
