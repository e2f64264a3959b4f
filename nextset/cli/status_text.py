"""The state of a study as text: six steps with the next command, or every stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nextset.cli.expectation_text import expectation_text
from nextset.pipeline.server_costs import cost_lines, server_costs
from nextset.pipeline.stage_list import STAGES, STEPS, shown_rows, step_of
from nextset.pipeline.status import StageStatus, status
from nextset.study.study_folder import Study

__all__ = ["shown_status", "stages_text", "steps_text"]

_FINISHED = ("done", "unchecked")
_WAITING = ("stale", "missing")


def shown_status(path: Path, *, deep: bool, trust_code: bool) -> tuple[dict[str, Any], bool]:
    """Return the stages of a study as JSON data, with both texts, and whether only files decide them.

    A model, a package or a server that is missing can appear without a change of the study's files.
    """
    study = Study.load(path, trust_code)
    stages = status(study, deep=deep)
    known = [s.expected for s in stages if s.expected is not None]
    expected = [expectation_text(units, study.settings.validate_) for units in known]
    costs = cost_lines(server_costs(study, [s.stage for s in stages]), this_run=False)
    more = [*expected, *(["models behind servers, at the prices in study.yaml", *costs] if costs else [])]
    shown = {
        "stages": [asdict(s) for s in stages],
        "stages_text": "\n".join([*stages_text(stages), *more]),
        "steps_text": "\n".join([*steps_text(stages), *more]),
    }
    plain = all(
        s.state in ("stale", "missing", "unfinished") or (s.state == "done" and not s.why) for s in stages
    )
    return shown, plain


def stages_text(stages: Sequence[StageStatus]) -> list[str]:
    """Return one line per stage."""
    return [_line(s.stage, s.state, shown_rows(s.stage, s.rows), s.why) for s in stages]


def steps_text(stages: Sequence[StageStatus]) -> list[str]:
    """Return one line per step, with the state of its first stage that is not done, then the next command.

    Damaged and unfinished results that belong to no stage follow the steps.
    """
    lines = []
    for step in STEPS:
        part = [s for s in stages if s.stage in STAGES and step_of(s.stage) == step]
        first = next((s for s in part if s.state not in _FINISHED), None)
        first = first or next((s for s in part if s.state != "done" or s.why), None)
        rows = (shown_rows(s.stage, s.rows) for s in part if STAGES[s.stage].shown_in_summary)
        state = first.state if first else "done" if part else "–"
        whys = (
            ": ".join(filter(None, ("" if s.stage == step else s.stage, s.why)))
            for s in part
            if s is first or (_is_said(s, step) and s.why != (first.why if first else ""))
        )
        why = "; ".join(filter(None, whys)) if part else "not in this study"
        lines.append(_line(step, state, ", ".join(filter(None, rows)), why))
    lines += stages_text([s for s in stages if s.stage not in STAGES])
    return [*lines, f"next: {_next(stages)}"]


def _is_said(stage: StageStatus, step: str) -> bool:
    """Return whether a stage says why, and more than that it waits for another stage of its ``step``."""
    return bool(stage.why) and (stage.stage == step or stage.state not in _WAITING)


def _next(stages: Sequence[StageStatus]) -> str:
    first = next((s for s in stages if s.state not in _FINISHED), None)
    if first is None:
        return "nothing to run; every step is done"
    if first.state in ("wrong", "newer") or first.why.endswith(")"):
        return f"do what the line of {first.stage} says, then nextset run STUDY"
    return "nextset run STUDY"


def _line(name: str, state: str, rows: str, why: str) -> str:
    return f"{name:<13} {state:<10} {rows}{' – ' if why and rows else ''}{why}".rstrip()
