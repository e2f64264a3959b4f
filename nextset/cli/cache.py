"""`nextset cache`: list, verify and prune the score cache."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from nextset.cli.options import Debug, Json
from nextset.cli.output import errors, print_result
from nextset.counted import counted

if TYPE_CHECKING:
    from nextset.scoring.cache.contents import CacheEntry, Pruned
    from nextset.scoring.cache.repair import CacheCheck

__all__ = ["cache_app"]

cache_app = typer.Typer(no_args_is_help=True, help="Manage the scores that are kept on this machine.")


@cache_app.command("list", epilog="Example: nextset cache list")
def list_(as_json: Json = False, debug: Debug = False) -> None:
    """Show which models' scores are kept, how many there are, and when they were last used."""
    with errors(debug):
        from nextset.scoring.cache.contents import list_cache
        from nextset.scoring.cache.folder import cache_folder

        entries = list_cache()
        text = "\n".join([*map(_line, entries), f"{_sum(entries)} in {cache_folder()}"])
        print_result(text, as_json, {"folder": str(cache_folder()), "files": [asdict(e) for e in entries]})


@cache_app.command(epilog="Example: nextset cache verify")
def verify(as_json: Json = False, debug: Debug = False) -> None:
    """Read the whole cache and remove damaged scores. Exits with 4 if there were any."""
    with errors(debug):
        from nextset.scoring.cache.repair import verify_cache

        check = verify_cache()
        print_result(_check_text(check), as_json, {**asdict(check), "folder": str(check.folder)})
    if check.damage:
        raise typer.Exit(4)


@cache_app.command(epilog="Example: nextset cache prune --older-than 90")
def prune(
    older_than: Annotated[
        float | None,
        typer.Option(min=0, metavar="DAYS", help="Remove scores that were not used for this many days."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Remove this model's scores. The name is the one in `cache list`."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all scores.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Remove scores by age, by model, or all of them. Runs that need them compute them again."""
    if not everything and older_than is None and model is None:
        raise typer.BadParameter("give --older-than DAYS, --model NAME or --all")
    with errors(debug):
        from nextset.scoring.cache.contents import prune_cache

        done = prune_cache(older_than_days=older_than, model=model, everything=everything)
        data = {"folder": str(done.folder), "removed": [asdict(e) for e in done.removed]}
        print_result(_pruned_text(done), as_json, data)


def _line(entry: CacheEntry) -> str:
    if entry.state != "sound":
        return f"{entry.state}: {entry.file}  {_size(entry.bytes)}, {entry.last_used}"
    options = "" if entry.options in ("", "{}") else f"  {entry.options}"
    amount = f"{counted(entry.rows, 'rows')}, {_size(entry.bytes)}"
    names = ", ".join(entry.models)
    return f"{names}  {entry.kind} {entry.precision}  {amount}, last used {entry.last_used}{options}"


def _sum(entries: list[CacheEntry] | tuple[CacheEntry, ...]) -> str:
    total, rows = sum(e.bytes for e in entries), sum(e.rows for e in entries)
    return f"{counted(len(entries), 'files')}, {counted(rows, 'rows')}, {_size(total)}"


def _size(n: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if n < 1000:
            return f"{n:.0f} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} GB"


def _check_text(check: CacheCheck) -> str:
    lines = [f"{d.file}: {d.what}" for d in check.damage]
    sound = f"{counted(check.files, 'files')}, {counted(check.rows, 'rows')}"
    return "\n".join([*lines, f"sound: {sound} in {check.folder}"])


def _pruned_text(done: Pruned) -> str:
    return "\n".join([*map(_line, done.removed), f"removed {_sum(done.removed)} from {done.folder}"])
