"""Several devices in one process; two names of the CPU stand for two GPUs."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from nextset.artifacts.artifact import open_artifact
from nextset.artifacts.build import Part, PartResult
from nextset.errors import DamagedShard, ModelError
from nextset.scoring.asked_model import Model
from nextset.scoring.engines.local import run_locally, run_on_devices
from nextset.scoring.jobs import Job
from nextset.scoring.row_chunks import Rows, chunks, sources_of
from nextset.scoring.study_models import model_of
from nextset.study.filter_rule_settings import Boundaries
from tests.scoring.small_study import MODELS, small_study

DEVICES = ("cpu", "cpu:0")
LIMIT = 60
"""Seconds that a thread waits for another."""


@dataclass(frozen=True)
class Watched:
    """Rows that tell who reads them."""

    rows: Rows
    """The rows."""
    read_by: Callable[[], None]
    """Called in the thread that reads them."""

    def read(self, columns: tuple[str, ...]) -> pa.Table:
        """The rows."""
        self.read_by()
        return self.rows.read(columns)


@pytest.fixture
def models(tmp_path: Path) -> tuple[list[Model], list[Rows]]:
    """Two models, and twelve parts of rows."""
    study = small_study(tmp_path / "study", "local", files=12, items=4)
    rows = list(chunks(sources_of(open_artifact(study.out / "generate"), "items")))
    return [model_of(study, name, "nli") for name in MODELS], rows


def nothing() -> None:
    """Who reads is not asked."""


def parts_of(models: list[Model], rows: list[Rows], seen: Callable[[], None] = nothing) -> dict[str, Part]:
    made = [Job(model, Watched(some, seen), "filter", Boundaries()) for model in models for some in rows]
    return {str(i): Part("scores", job) for i, job in enumerate(made)}


def test_both_devices_work_and_give_what_one_gives(models: tuple[list[Model], list[Rows]]) -> None:
    both = threading.Barrier(len(DEVICES))
    met: set[str] = set()

    def seen() -> None:
        name = threading.current_thread().name
        if name in set(DEVICES) - met:  # each device's first job waits for the other's
            met.add(name)
            both.wait(LIMIT)

    none = {"none": Part("flips", functools.partial(PartResult, pa.table({"x": [1]})))}
    found = list(run_on_devices(none | parts_of(*models, seen), DEVICES))
    alone = dict(run_locally(none | parts_of(*models)))
    assert met == set(DEVICES)
    assert sorted(file for file, _ in found) == sorted(alone)
    assert found[-1][0] == "none"
    assert all(made.table.equals(alone[file].table) for file, made in found)


def test_an_error_stops_the_others(models: tuple[list[Model], list[Rows]]) -> None:
    read: list[None] = []
    parts = parts_of(models[0], models[1], lambda: read.append(None))
    broken = Rows(models[1][0].source, range(4))
    broken.source.path.write_bytes(b"broken")
    with pytest.raises(DamagedShard):
        list(run_on_devices(parts, DEVICES))
    assert len(read) < len(parts)
    assert not {t.name for t in threading.enumerate()} & set(DEVICES)


def test_whatever_ends_a_device_is_raised(models: tuple[list[Model], list[Rows]]) -> None:
    def ends() -> None:
        raise SystemExit("the end")

    with pytest.raises(SystemExit, match="the end"):
        list(run_on_devices(parts_of(models[0], models[1], ends), DEVICES))


def test_a_device_that_is_not_there_is_an_error(models: tuple[list[Model], list[Rows]]) -> None:
    with pytest.raises(ModelError, match="there is no device cuda:99"):
        list(run_on_devices(parts_of(models[0], models[1]), ["cuda:99"]))


def test_results_are_not_made_faster_than_they_are_taken(models: tuple[list[Model], list[Rows]]) -> None:
    read: list[None] = []
    parts = parts_of(models[0], models[1], lambda: read.append(None))
    results = run_on_devices(parts, DEVICES)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert len(read) <= 2 * len(DEVICES) + 1
    assert not {t.name for t in threading.enumerate()} & set(DEVICES)
