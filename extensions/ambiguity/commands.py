"""The commands of the section ambiguity."""

from __future__ import annotations

from nextset.cli.added_commands import AddedCommand
from nextset.cli.options import Debug, Json, StudyPath, TrustCode
from nextset.cli.stage_command import run_stage

__all__ = ["RETRIEVAL", "SELECTIONAL"]


def _selectional(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Ask questions with several right answers in the context, and report who is found."""
    run_stage(
        "selectional",
        study,
        trust_code,
        as_json,
        debug,
        report="selectional_report",
        first=("ambiguous_questions",),
    )


def _retrieval(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Search a collection of passages, let readers answer open questions, and report who is found."""
    first = ("passage_index", "retrieved")
    run_stage("retrieval", study, trust_code, as_json, debug, report="retrieval_report", first=first)


SELECTIONAL = AddedCommand(_selectional, "nextset selectional my-study")
RETRIEVAL = AddedCommand(_retrieval, "nextset retrieval my-study")
