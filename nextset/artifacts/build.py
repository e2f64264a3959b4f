"""Artifacts are built shard by shard, so that a stopped run resumes and damaged shards are rebuilt.

Shards are written to a temporary name, fsynced, renamed and then recorded in a journal, in a folder next to
the finished one (NAME.partial) that replaces it at the end. A killed run therefore resumes at the first
shard that was not recorded, a failed run loses no finished work, and a damaged shard is found by its hash
and rebuilt by itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from nextset.artifacts.artifact import Artifact, Recipe, intact, is_current, open_artifact
from nextset.artifacts.made_folder import making
from nextset.artifacts.manifest import Manifest, Shard, command_of, read_manifest, write_manifest
from nextset.artifacts.progress_callback import Tick
from nextset.errors import DamagedShard, NextsetError, examples
from nextset.files.atomic_files import (
    check_folder_places,
    parquet_bytes,
    remove_temporary,
    replace_folder,
    write_atomically,
)
from nextset.files.json_records import DamagedJson, DigestedRecord, parse_digested

__all__ = ["FilePart", "Part", "PartResult", "Runner", "build", "in_turn"]


@dataclass(frozen=True)
class PartResult:
    """A shard's rows, and counts such as rows dropped by reason."""

    table: pa.Table
    counts: Mapping[str, int] = field(default_factory=dict)
    this_run: Mapping[str, int] = field(default_factory=dict)
    """Counts of this run only, such as rows scored anew; they are not stored."""


@dataclass(frozen=True)
class Part:
    """A planned shard: its table, and a function that makes its rows, the same ones every time."""

    table: str
    make: Callable[[], PartResult]


@dataclass(frozen=True)
class FilePart:
    """A planned file that is not a table: its name in the artifact, and a function that makes its content."""

    name: str
    make: Callable[[], bytes]


Runner = Callable[[Mapping[str, Part]], Iterator[tuple[str, PartResult]]]
"""A function that makes each of the given parts once, in this process or elsewhere, in any order."""


def in_turn(parts: Mapping[str, Part]) -> Iterator[tuple[str, PartResult]]:
    """Make ``parts`` one after the other, in this process."""
    for file, part in parts.items():
        yield file, part.make()


def build(
    folder: Path,
    recipe: Recipe,
    plan: Callable[[], Sequence[Part | FilePart]],
    *,
    snapshots: Mapping[str, bytes] | None = None,
    progress: Tick = lambda done, total: None,
    runner: Runner = in_turn,
    reuse: bool = True,
) -> Artifact:
    """Make the artifact of ``recipe`` in ``folder``, or with ``reuse`` keep the existing one.

    ``plan`` is called only if something has to be made. ``progress`` gets the numbers of finished and of all
    shards. ``runner`` makes the parts of tables.
    """
    with making(folder):
        return _built(folder, recipe, plan, snapshots, progress, runner, reuse=reuse)


def _built(
    folder: Path,
    recipe: Recipe,
    plan: Callable[[], Sequence[Part | FilePart]],
    snapshots: Mapping[str, bytes] | None,
    progress: Tick,
    runner: Runner,
    *,
    reuse: bool,
) -> Artifact:
    work = folder.with_name(folder.name + ".partial")
    check_folder_places(folder)
    _finish_swap(folder, work, recipe)
    if reuse and is_current(folder, recipe):
        if not (work / "journal.jsonl").is_file():  # it holds nothing to resume
            shutil.rmtree(work, ignore_errors=True)
        return _verified(folder, plan, snapshots or {}, progress, runner)
    done = _begin(work, recipe)
    try:
        parts = _named(plan())
    except NextsetError:
        if not done:  # nothing to resume
            shutil.rmtree(work)
        raise
    finished = {f: done[f] for f in parts if f in done and intact(work / f, done[f].sha256)}
    this_run: Counter[str] = Counter()
    progress(len(finished), len(parts))
    for shard in _shards(work, {f: p for f, p in parts.items() if f not in finished}, runner, this_run):
        _record(work, shard)
        finished[shard.file] = shard
        progress(len(finished), len(parts))
    shards = [finished[file] for file in parts]
    for name, raw in (snapshots or {}).items():
        write_atomically(work / "snapshots" / name, raw)
    hashes = {name: hashlib.sha256(raw).hexdigest() for name, raw in sorted((snapshots or {}).items())}
    manifest = Manifest(
        key=recipe.key,
        recipe=recipe.as_json(),
        shards=tuple(shards),
        snapshots=hashes,
        made_with=_versions(),
        command=command_of(recipe.stage),
    )
    write_manifest(work, manifest)
    _swap(folder, work)
    return replace(open_artifact(folder), built="resumed" if done else "made", this_run=dict(this_run))


def _named(parts: Sequence[Part | FilePart]) -> dict[str, Part | FilePart]:
    """Return the parts by their file names, in their order."""
    index: Counter[str] = Counter()
    named: dict[str, Part | FilePart] = {}
    for part in parts:
        if isinstance(part, FilePart):
            named[part.name] = part
            continue
        named[f"{part.table}/{index[part.table]:05d}.parquet"] = part
        index[part.table] += 1
    return named


def _shards(
    work: Path, parts: Mapping[str, Part | FilePart], runner: Runner, this_run: Counter[str]
) -> Iterator[Shard]:
    """Make and write ``parts``, tables first, and add their counts of this run to ``this_run``."""
    tables = {file: part for file, part in parts.items() if isinstance(part, Part)}
    for file, made in runner(tables):
        shard = Shard(tables[file].table, file, made.table.num_rows, 0, "", dict(sorted(made.counts.items())))
        this_run.update(made.this_run)
        yield _written(work, shard, parquet_bytes(made.table))
    for file, part in parts.items():
        if isinstance(part, FilePart):
            yield _written(work, Shard("", file, 0, 0, "", {}), part.make())


def _written(work: Path, shard: Shard, raw: bytes) -> Shard:
    write_atomically(work / shard.file, raw)
    return replace(shard, bytes=len(raw), sha256=hashlib.sha256(raw).hexdigest())


class _JournalLine(DigestedRecord):
    """A line of the journal: a shard that was written."""

    shard: Shard


def _begin(work: Path, recipe: Recipe) -> dict[str, Shard]:
    """Prepare the work folder; return the shards that an earlier run recorded in it."""
    for path in work.rglob("*"):
        if path.is_symlink():  # its target is not of this run
            path.unlink()
    note = work / "key"
    if not note.is_file() or note.read_bytes() != recipe.key.encode():
        shutil.rmtree(work, ignore_errors=True)
        write_atomically(note, recipe.key.encode())
        return {}
    journal = work / "journal.jsonl"
    done: dict[str, Shard] = {}
    for line in journal.read_bytes().splitlines(keepends=True) if journal.is_file() else ():
        try:
            shard = parse_digested(line, _JournalLine).shard
        except DamagedJson:
            continue  # an incomplete line of the killed run, or a damaged one: its shard is rebuilt
        done[shard.file] = shard
    return done


def _record(work: Path, shard: Shard) -> None:
    # The line begins with a newline, so that an incomplete line before it cannot be joined to it.
    with (work / "journal.jsonl").open("ab") as f:
        f.write(b"\n" + _JournalLine(shard=shard).as_bytes())
        f.flush()
        os.fsync(f.fileno())


def _verified(
    folder: Path,
    plan: Callable[[], Sequence[Part | FilePart]],
    snapshots: Mapping[str, bytes],
    progress: Tick,
    runner: Runner,
) -> Artifact:
    """Return the finished artifact, with every damaged file rebuilt."""
    artifact = open_artifact(folder)
    if others := artifact.others():
        raise DamagedShard(
            f"{folder} has files that nextset did not write: {examples(others)}",
            remedy="move them elsewhere or remove them, and run this again",
        )
    damaged = artifact.damaged(deep=True)
    if not damaged:
        return artifact
    files = {s.file for s in artifact.shards}.intersection(damaged)
    known: dict[str, Part | FilePart] = _named(plan()) if files else {}
    parts = {file: known[file] for file in damaged if file in known}
    texts = {f"snapshots/{name}": raw for name, raw in snapshots.items()}
    for file in damaged:
        if file in texts:
            write_atomically(folder / file, texts[file])
        elif file not in parts:
            raise DamagedShard(
                f"{folder / file} is missing, truncated or altered, and the stage no longer makes it",
                remedy=f"delete {folder} and run `nextset {artifact.command} STUDY` again",
            )
    remade: dict[str, Shard] = {}
    this_run: Counter[str] = Counter()
    for shard in _shards(folder, parts, runner, this_run):
        remade[shard.file] = shard
        progress(len(remade), len(parts))
    shards = tuple(remade.get(s.file, s) for s in artifact.shards)
    manifest = read_manifest(folder)
    write_manifest(folder, manifest.model_copy(update={"shards": shards, "made_with": _versions()}))
    return replace(artifact, shards=shards, built="repaired", remade=damaged, this_run=dict(this_run))


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("nextset", "pyarrow", "torch", "transformers")}


def _swap(folder: Path, work: Path) -> None:
    """Replace ``folder`` by the finished ``work``; `_finish_swap` completes it if the process is killed."""
    for note in ("journal.jsonl", "key"):
        (work / note).unlink(missing_ok=True)
    remove_temporary(work)
    for other in open_artifact(work).others():
        (work / other).unlink()
    replace_folder(folder, work)


def _finish_swap(folder: Path, work: Path, recipe: Recipe) -> None:
    """Complete the swap of a run that was killed while swapping, if all its files are intact."""
    if _is_whole(work, recipe):
        _swap(folder, work)
    old = folder.with_name(folder.name + ".old")
    if old.is_dir() and not folder.exists():
        old.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _is_whole(work: Path, recipe: Recipe) -> bool:
    """Return whether ``work`` holds the artifact of ``recipe`` with all its files intact."""
    try:
        return is_current(work, recipe) and not open_artifact(work).damaged(deep=True)
    except DamagedShard:
        return False
