"""`nextset cache`: list, verify and prune the score cache."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nextset.cli.options import Debug, Json
from nextset.cli.output import errors, print_result
from nextset.counted import counted
from nextset.errors import ModelError, examples

if TYPE_CHECKING:
    from nextset.scoring.cache.contents import CacheEntry, Pruned
    from nextset.scoring.cache.repair import CacheCheck
    from nextset.scoring.model_server.answer_cache_contents import AnswerCheck, StoredAnswers
    from nextset.scoring.model_server.batch_contents import BatchCounts

__all__ = ["cache_app"]

cache_app = typer.Typer(
    no_args_is_help=True, help="Manage the scores and answers that are kept on this machine."
)


@cache_app.command("list", epilog="Example: nextset cache list")
def list_(as_json: Json = False, debug: Debug = False) -> None:
    """Show which models' scores are kept, how many there are, and when they were last used."""
    with errors(debug):
        from nextset.scoring.cache.contents import list_cache
        from nextset.scoring.cache.folder import cache_folder
        from nextset.scoring.model_server.answer_cache_contents import answers_file, list_answers
        from nextset.scoring.model_server.batch_contents import batches_file, count_batches

        entries, stored, batches = list_cache(), list_answers(), count_batches()
        lines = [*map(_line, entries), f"{_sum(entries)} in {cache_folder()}"]
        if stored:
            lines += [*map(_answers_line, stored), f"{_answers_sum(stored)} in {answers_file()}"]
        data: dict[str, Any] = {"folder": str(cache_folder()), "files": [asdict(e) for e in entries]}
        data |= {"answers_file": str(answers_file()), "answers": [asdict(e) for e in stored]}
        if batches is not None:
            lines.append(f"{_batches_text(batches)} in {batches_file()}")
            data |= {"batches_file": str(batches_file()), "batches": asdict(batches)}
        print_result("\n".join(lines), as_json, data)


@cache_app.command(epilog="Example: nextset cache verify")
def verify(as_json: Json = False, debug: Debug = False) -> None:
    """Read the whole cache and remove damaged scores. Exits with 4 if there were any."""
    with errors(debug):
        from nextset.scoring.cache.repair import verify_cache
        from nextset.scoring.model_server.answer_cache_contents import check_answers
        from nextset.scoring.model_server.batch_contents import check_batches

        check, stored, batches = verify_cache(), check_answers(), check_batches()
        data = {**asdict(check), "folder": str(check.folder), "answers": asdict(stored)}
        data |= {"batches": {"damage": batches}}
        print_result(_check_text(check, stored, batches), as_json, data)
    if check.damage or stored.damage or batches:
        raise typer.Exit(4)


@cache_app.command(epilog="Example: nextset cache prune --older-than 90")
def prune(
    older_than: Annotated[
        float | None,
        typer.Option(min=0, metavar="DAYS", help="Remove scores that were not used for this many days."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Remove this model's scores. The name is in `cache list`."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all scores.")] = False,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers",
            help="Also remove stored answers of model servers, which were paid for, and thoughts of local "
            "models: those of the model, or those that are older.",
        ),
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Remove scores by age, by model, or all of them. Runs that need them compute them again.

    Stored answers of model servers stay, unless --answers is given. With --answers and --all, the record of
    finished batches is removed too; batches that are underway stay in it.
    """
    if not everything and older_than is None and model is None:
        raise typer.BadParameter("give --older-than DAYS, --model NAME or --all")
    with errors(debug):
        from nextset.scoring.cache.contents import prune_cache
        from nextset.scoring.cache.sqlite_file import DamagedCacheFile
        from nextset.scoring.model_server.answer_cache_contents import (
            answers_file,
            list_answers,
            prune_answers,
        )
        from nextset.scoring.model_server.batch_contents import forget_batches

        model = model if model is None or everything else _known_name(model)
        chosen: dict[str, Any] = {"older_than_days": older_than, "model": model, "everything": everything}
        try:
            batches = forget_batches() if answers and everything else 0
            forgotten = prune_answers(**chosen) if answers else []
        except DamagedCacheFile as e:
            raise ModelError(
                f"stored answers cannot be removed from {e.path}: {e.why}",
                remedy="restore a copy of the file, update nextset if the file is newer, or move it away",
            ) from None
        done = prune_cache(**chosen)
        data: dict[str, Any] = {"folder": str(done.folder), "removed": [asdict(e) for e in done.removed]}
        data |= (
            {"removed_answers": [asdict(e) for e in forgotten], "removed_batches": batches} if answers else {}
        )
        lines = [_pruned_text(done)]
        if answers:
            lines += [*map(_answers_line, forgotten)]
            lines.append(f"removed {_answers_sum(forgotten)} from {answers_file()}")
        if batches:
            lines.append(f"removed the record of {counted(batches, 'finished batches', 'finished batch')}")
        if answers:
            lines.append(_FINISHED)
        elif done.removed and any(_is_of(model, entry) for entry in list_answers()):
            lines.append(_ANSWERS_STAY)
        print_result("\n".join(lines), as_json, data)


_FINISHED = (
    "studies that are finished keep their results; to ask again in one: rm -r STUDY/out, then nextset run "
    "STUDY (judgments of people are not in out, and the other models' scores come from this cache)"
)
_ANSWERS_STAY = "stored answers stay, so a server is not asked again; to remove them too, add --answers"


def _known_name(model: str) -> str:
    """Return the name of ``model`` in the cache, which may lack openai:; ends the command if it has none."""
    from nextset.scoring.cache.contents import list_cache
    from nextset.scoring.model_server.answer_cache_contents import list_answers
    from nextset.scoring.models.sources import SERVER

    names = {name for entry in list_cache() for name in entry.models}
    names |= {entry.model for entry in list_answers() if entry.model}
    for name in (model, f"{SERVER}{model}"):
        if name in names:
            return name
    bare = {name.removeprefix(SERVER): name for name in sorted(names)}
    near = difflib.get_close_matches(model.removeprefix(SERVER), bare, n=1)
    meant = f"did you mean {bare[near[0]]}? " if near else ""
    has = f"the cache has: {examples(sorted(names), 10)}" if names else "the cache has no model"
    raise typer.BadParameter(f"no such model: {model}; {meant}{has}")


def _is_of(model: str | None, entry: StoredAnswers) -> bool:
    """Return True if there are stored answers of ``model``; without a model, of any server."""
    from nextset.scoring.models.sources import SERVER

    return entry.model == model if model else entry.model.startswith(SERVER)


def _line(entry: CacheEntry) -> str:
    if entry.state != "sound":
        return f"{entry.state}: {entry.file}  {_size(entry.bytes)}, {entry.last_used}"
    amount = f"{counted(entry.rows, 'rows')}, {_size(entry.bytes)}"
    names = ", ".join(entry.models)
    return f"{names}  {entry.kind} {entry.precision}  {amount}, last used {entry.last_used}"


def _answers_line(entry: StoredAnswers) -> str:
    if entry.state != "sound":
        return f"{entry.state}: answers.sqlite  {_size(entry.bytes)}"
    days = f"{entry.first} to {entry.last}" if entry.first else "without a date"
    if entry.first and entry.undated:
        days += f" ({entry.undated:,} without a date)"
    tokens = f"tokens: {entry.read:,} read, {entry.written:,} written"
    if entry.uncounted:
        tokens += f" ({entry.uncounted:,} not counted)"
    amount = f"{counted(entry.answers, 'answers')}, {_size(entry.bytes)}"
    return f"{entry.model or 'damaged requests'}  {amount}, {days}, {tokens}"


def _answers_sum(entries: Sequence[StoredAnswers]) -> str:
    return f"{counted(sum(e.answers for e in entries), 'answers')}, {_size(sum(e.bytes for e in entries))}"


def _batches_text(batches: BatchCounts) -> str:
    if batches.state != "sound":
        return f"{batches.state}: the record of batches, {_size(batches.bytes)},"
    underway = counted(batches.underway, "batches underway", "batch underway")
    requests = f" with {counted(batches.requests, 'requests')}" if batches.requests else ""
    return f"{underway}{requests}, {batches.finished:,} finished"


def _sum(entries: list[CacheEntry] | tuple[CacheEntry, ...]) -> str:
    total, rows = sum(e.bytes for e in entries), sum(e.rows for e in entries)
    return f"{counted(len(entries), 'files')}, {counted(rows, 'rows')}, {_size(total)}"


def _size(n: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} GB"


def _check_text(check: CacheCheck, stored: AnswerCheck, batches: Sequence[str]) -> str:
    lines = [f"{d.file}: {d.what}" for d in check.damage]
    lines += [f"answers.sqlite: {what}" for what in stored.damage]
    lines += [f"answers.batches.sqlite: {what}" for what in batches]
    sound = f"{counted(check.files, 'files')}, {counted(check.rows, 'rows')}"
    sound += f", {counted(stored.answers, 'stored answers')}" if stored.answers else ""
    return "\n".join([*lines, f"sound: {sound} in {check.folder}"])


def _pruned_text(done: Pruned) -> str:
    return "\n".join([*map(_line, done.removed), f"removed {_sum(done.removed)} from {done.folder}"])
