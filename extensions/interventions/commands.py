"""The commands of the section interventions."""

from __future__ import annotations

from nextset.cli.added_commands import AddedCommand
from nextset.cli.options import Debug, Json, StudyPath, TrustCode
from nextset.cli.stage_command import run_stage

__all__ = ["INTERVENTIONS", "TRIGGERS", "TUNE"]


def _interventions(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Ask models with and without added sentences, and report what the sentences change."""
    run_stage("interventions", study, trust_code, as_json, debug, report="interventions_report")


def _triggers(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Search for tokens that bring the groups' probabilities together, for interventions.triggers."""
    run_stage("triggers", study, trust_code, as_json, debug)


def _tune(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Fine-tune readers to follow ethical advice and ignore other advice, for interventions.tuning."""
    run_stage("tune", study, trust_code, as_json, debug)


INTERVENTIONS = AddedCommand(_interventions, "nextset interventions my-study")
TRIGGERS = AddedCommand(_triggers, "nextset triggers my-study")
TUNE = AddedCommand(_tune, "nextset tune my-study")
