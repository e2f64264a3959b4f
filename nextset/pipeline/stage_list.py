"""The stages that installed packages declare, in their order, and those that a study runs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from nextset.counted import counted
from nextset.errors import InputError, NextsetError
from nextset.open_table import OpenTable
from nextset.own_code import guarded, raised, shown
from nextset.pipeline.stage import Stage
from nextset.study.study_folder import Study
from nextset.study.study_sections import StudyFile

__all__ = [
    "STAGES",
    "STEPS",
    "forecasters_of",
    "foreign",
    "in_order",
    "ordered_stages",
    "shown_rows",
    "stages_of",
    "stages_until",
    "step_of",
]

STAGES: OpenTable[Stage] = OpenTable("nextset.stages", "stage")
"""The stages by name."""

_SECTIONS = {
    "generate": "generate",
    "fill": "fill",
    "scoring": "filter",
    "filter": "filter",
    "validate": "validate",
    "release": "release",
    "audit": "audit",
}
"""The sections of study.yaml with stages, in the order of the data, each with its step; those of extensions
follow."""

STEPS = tuple(dict.fromkeys(_SECTIONS.values()))
"""The steps that `nextset status` shows, as in the picture of the pipeline."""


@functools.cache
def ordered_stages() -> tuple[Stage, ...]:
    """Return all stages in their order.

    Raises InputError if each of some stages has to run after another, or if a package registers something
    other than a stage under its own name.
    """
    return in_order(map(_registered, STAGES.names))


def _registered(name: str) -> Stage:
    stage = STAGES[name]
    if not isinstance(stage, Stage) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise InputError(
            f"{STAGES.package(name)} registers {shown(stage)} as the stage {name!r}",
            remedy="register a Stage under its own name, in small letters, digits and underscores; "
            "or uninstall the package",
        )
    return stage


def in_order(stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Return ``stages`` in an order in which each runs after its inputs and before its ``before``.

    Of the stages that could be next, the first is the one whose section, or whose successor's section, comes
    first in the flow of data; then a page; then a stage that reads the latest result; then the name decides.
    Raises InputError if each of some stages has to run after another of them.
    """
    by_name = {stage.name: stage for stage in stages}
    needs = _predecessors(by_name)
    urgency = {name: _urgency(name, by_name, needs) for name in by_name}
    order: dict[str, int] = {}
    while len(order) < len(by_name):
        ready = [n for n in by_name if n not in order and needs[n] <= order.keys()]
        if not ready:
            rest = sorted(by_name.keys() - order.keys())
            raise InputError(
                f"no order of stages: each of {', '.join(rest)} has to run after another of them",
                remedy="change inputs or before of one of these stages",
            )
        key = {n: (urgency[n], not by_name[n].is_page, -_latest(needs[n], order), n) for n in ready}
        order[min(ready, key=key.__getitem__)] = len(order)
    return tuple(by_name[name] for name in order)


def _predecessors(stages: Mapping[str, Stage]) -> dict[str, set[str]]:
    """Return the names of the stages that run before each stage; names of other stages are left out."""
    needs = {name: set(stage.inputs) & stages.keys() for name, stage in stages.items()}
    for name, stage in stages.items():
        for later in set(stage.before) & stages.keys():
            needs[later].add(name)
    return needs


def _urgency(name: str, stages: Mapping[str, Stage], needs: Mapping[str, set[str]]) -> int:
    """Return the first position in `_SECTIONS` of the stage ``name`` and the stages that come after it."""
    after, waiting = {name}, [name]
    while waiting:
        done = waiting.pop()
        later = {n for n in stages if done in needs[n]} - after
        after |= later
        waiting += later
    return min(_position(stages[n]) for n in after)


def _position(stage: Stage) -> int:
    section = stage.section.split(".")[0]
    return list(_SECTIONS).index(section) if section in _SECTIONS else len(_SECTIONS)


def step_of(name: str) -> str:
    """Return the step of the stage ``name``: what it declares, or its section's, or that of a later stage."""
    stages = {stage.name: stage for stage in ordered_stages()}
    if stages[name].step in STEPS:
        return stages[name].step
    position = _position(stages[name])
    if position == len(_SECTIONS):
        position = _urgency(name, stages, _predecessors(stages))
    return list(_SECTIONS.values())[min(position, len(_SECTIONS) - 1)]


def _latest(needs: Iterable[str], order: Mapping[str, int]) -> int:
    return max((order[name] for name in needs), default=-1)


def stages_of(study: Study) -> tuple[Stage, ...]:
    """Return the stages that ``study`` runs, in their order."""
    settings = study.settings
    wanted = [stage for stage in ordered_stages() if _is_wanted(stage, settings)]
    left_out = {name for stage in wanted for name in stage.left_out(settings)}
    return tuple(stage for stage in wanted if stage.name not in left_out)


def _is_wanted(stage: Stage, settings: StudyFile) -> bool:
    with foreign(stage):
        return stage.wanted(settings)


@contextmanager
def foreign(stage: Stage) -> Iterator[None]:
    """Run code of ``stage``: an exception of a stage of another package becomes an InputError.

    Errors of nextset stay as they are, and so do all exceptions of nextset's own stages.
    """
    if stage.name in STAGES.own_names:
        yield
        return

    def wrong(error: BaseException) -> NextsetError:
        if isinstance(error, NextsetError):
            return error
        package = STAGES.package(stage.name)
        return InputError(
            f"the stage {stage.name} of {package} raised {raised(error)}",
            remedy=f"report the error to the authors of {package}, or uninstall it",
        )

    with guarded(wrong):
        yield


def stages_until(study: Study, until: str | None) -> tuple[Stage, ...]:
    """Return the stages that ``study`` runs up to the stage ``until``; None: all.

    Raises InputError if ``until`` is not one of them.
    """
    stages = stages_of(study)
    names = [stage.name for stage in stages]
    if until is None:
        return stages
    if until not in names:
        known = until in STAGES
        raise InputError(
            f"this study does not run the stage {until!r}" if known else f"there is no stage {until!r}",
            remedy=f"use one of the study's stages: {', '.join(names)}",
        )
    return stages[: names.index(until) + 1]


def forecasters_of(name: str) -> tuple[Stage, ...]:
    """Return the stages that forecast something from the result of the stage ``name``."""
    return tuple(stage for stage in ordered_stages() if stage.forecasts == name)


def shown_rows(stage: str, rows: Mapping[str, int]) -> str:
    """Return the row counts of a stage's shown tables; kinds of rows that a study lacks are omitted.

    ``stage`` is its name; another artifact shows no rows.
    """
    if stage not in STAGES:
        return ""
    part = STAGES[stage]
    shown = [t for t in part.shown_tables if t in rows and (rows[t] or not part.hides_empty_tables)]
    return ", ".join(counted(rows[t], t) for t in shown)
