"""`nextset language`: start a language pack, and import and review the texts of native speakers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nextset.cli.options import Debug, Json
from nextset.cli.output import errors, print_note, print_result
from nextset.cli.progress_bar import bars
from nextset.counted import counted

if TYPE_CHECKING:
    from nextset.generation.pack_sheets.completeness import Completeness, PackStatus
    from nextset.generation.pack_sheets.new_pack import NewPack
    from nextset.generation.pack_sheets.review_sheet import ReviewSheet
    from nextset.generation.pack_sheets.review_ticks import ReviewTicks
    from nextset.generation.pack_sheets.sheet_import import ImportedSheet

__all__ = ["language_app"]

language_app = typer.Typer(no_args_is_help=True, help="Add your language: write and check language packs.")

Pack = Annotated[Path, typer.Argument(metavar="FOLDER", help="The pack's folder.")]

_MOST = 12
"""The most problems, notes or kinds of empty cells that are shown."""


def _listed(written: str | None) -> list[str] | None:
    return None if written is None else [part.strip() for part in written.split(",") if part.strip()]


@language_app.command(epilog="Example: nextset language new de --cases dat --countries 40")
def new(
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="A BCP 47 tag, such as de or pt-BR.")],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", show_default=False, help="The folder to create. Default: LANGUAGE."),
    ] = None,
    genders: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Genders of words for people, such as m,f. Default: those known for the language.",
        ),
    ] = None,
    cases: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Cases that sentences need besides the nominative, such as acc,dat. Default: those known "
            "for the language.",
        ),
    ] = None,
    countries: Annotated[int, typer.Option(metavar="N", help="The number of countries.")] = 40,
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Classes in the pack: any of gender, nationality, ethnicity, religion. Default: all.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Start a language pack: a folder, and a sheet (CSV) of its texts for a native speaker to fill in."""
    with errors(debug):
        from nextset.generation.pack_sheets.new_pack import new_language

        made = new_language(
            language,
            folder,
            genders=_listed(genders),
            cases=_listed(cases),
            countries=countries,
            classes=_listed(classes),
        )
        _warn(as_json)
        print_result(_new_text(made), as_json, _data(made))


@language_app.command("import", epilog="Example: nextset language import de.csv de")
def import_(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="The filled-in sheet, as CSV.")],
    folder: Pack,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the texts of a filled-in sheet into the pack: all of them, or none if one is wrong."""
    with errors(debug), _problems(), bars(quiet=as_json) as progress:
        from nextset.generation.pack_sheets.sheet_import import import_language

        done = import_language(sheet, folder, progress=progress)
        print_result(_import_text(done), as_json, _data(done))


@language_app.command(epilog="Example: nextset language status de --missing missing.csv")
def status(
    folder: Pack,
    missing: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, help="Also write a sheet of the empty cells, to be filled in."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show how much of a pack is written, by class and by form."""
    with errors(debug):
        from nextset.generation.pack_sheets.completeness import language_status

        pack_status = language_status(folder, missing)
        if missing is not None:
            _warn(as_json)
        data = _data(pack_status)
        for name in ("total", "by_class", "by_form"):
            rows = getattr(pack_status, name)
            data[name] = (
                [{**asdict(row), "share": row.share} for row in rows]
                if isinstance(rows, tuple)
                else {**asdict(rows), "share": rows.share}
            )
        print_result(_status_text(pack_status), as_json, data)


@language_app.command(epilog="Example: nextset language review de --out review.csv")
def review(
    folder: Pack,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The sheet to write.")] = Path("review.csv"),
    from_: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            show_default=False,
            help="Import this reviewed sheet instead of writing one.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", show_default=False, help="The reviewer's name; needed with --from.")
    ] = "",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a sheet of sentences for a native speaker to tick or correct; with --from, import the ticks.

    Exits with 3 if rows of the reviewed sheet are refused.
    """
    if (from_ is None) != (not name):
        missing = "--name" if from_ is not None else "--from"
        raise typer.BadParameter("--from FILE and --name NAME go together", param_hint=missing)
    refused = False
    with errors(debug), bars(quiet=as_json) as progress:
        if from_ is None:
            from nextset.generation.pack_sheets.review_sheet import review_language

            made = review_language(folder, out, progress=progress)
            _warn(as_json)
            print_result(_review_text(made, folder), as_json, _data(made))
        else:
            from nextset.generation.pack_sheets.review_ticks import check_language

            done = check_language(folder, from_, name, progress=progress)
            refused = bool(done.refused)
            print_result(_ticks_text(done), as_json, _data(done))
    if refused:
        raise typer.Exit(3)


@contextmanager
def _problems() -> Iterator[None]:
    """Print the problems of a wrong sheet before its error, at most a screen of them."""
    from nextset.generation.pack_sheets.sheet_rows import WrongSheet

    try:
        yield
    except WrongSheet as e:
        for problem in e.problems[:_MOST]:
            print_note(f"line {problem.line}: {_short(problem.place)}: {_short(problem.message)}")
        if len(e.problems) > _MOST:
            print_note(f"and {len(e.problems) - _MOST:,} more")
        raise


def _warn(as_json: bool) -> None:
    from nextset.html.content_warning import CONTENT_WARNING

    if not as_json:
        print_note(CONTENT_WARNING)


def _data(result: Any) -> dict[str, Any]:
    """Return a result as JSON data, with paths and dates as texts."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        return value if isinstance(value, str | int | float | None) else str(value)

    data: dict[str, Any] = plain(asdict(result))
    return data


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:159]}…"


def _new_text(made: NewPack) -> str:
    features = ", ".join((*made.genders, *made.cases)) or "none"
    names = "no first names"
    if made.names:
        candidates = counted(made.names, "candidate first names", "candidate first name")
        names = f"{candidates} ({made.names_from})"
    lines = [
        f"{made.language_name} ({made.language}): {counted(made.countries, 'countries', 'country')}, {names};"
        f" features of words for people: {features}",
        f"folder   {made.folder}",
        f"sheet    {made.sheet}: {counted(made.cells, 'cells')}, {made.empty:,} of them empty",
        *(f"note: {note}" for note in made.notes),
        f"now fill in the sheet, then: nextset language import {made.sheet} {made.folder}",
    ]
    return "\n".join(lines)


def _import_text(done: ImportedSheet) -> str:
    lines = [
        f"{counted(len(done.changed), 'new texts', 'new text')} in {done.folder} "
        f"({counted(len(done.files), 'files')}); {done.unchanged:,} unchanged, {done.empty:,} still empty"
    ]
    notices = [*done.doubtful, *done.normalised]
    lines += _some([f"notice: line {n.line}: {_short(n.place)} {_short(n.note)}" for n in notices])
    lines += _some([f"note: line {n.line}: {_short(n.place)}: {_short(n.note)}" for n in done.notes])
    return "\n".join(lines)


def _some(lines: list[str]) -> list[str]:
    more = [f"and {len(lines) - _MOST:,} more"] if len(lines) > _MOST else []
    return [*lines[:_MOST], *more]


def _status_text(found: PackStatus) -> str:
    checked = ", ".join(found.checked_by) or "no one"
    lines = [f"{found.folder}: {found.language}, checked by {checked}"]
    lines += _counts([replace(found.total, name="all"), *found.by_class])
    if incomplete := [f for f in found.by_form if f.filled < f.cells]:
        lines += ["not complete:", *(f"  {line}" for line in _counts(incomplete))]
    lines += found.lacking
    if found.missing is not None:
        lines.append(f"missing  {found.missing}: {counted(found.total.cells - found.total.filled, 'cells')}")
    if found.problem:
        lines.append(f"complete, but it cannot be used: {found.problem}")
    elif not incomplete and not found.lacking:
        lines.append(f"complete; now try: nextset lint {found.folder}")
    return "\n".join(lines)


def _counts(parts: Sequence[Completeness]) -> list[str]:
    """Return a line for each of ``parts``, with the numbers aligned."""
    width = max(len(c.name) for c in parts)
    return [
        f"{c.name:<{width}}  {_percent(c.filled, c.cells):>5}  {c.filled:,} of {c.cells:,}" for c in parts
    ]


def _percent(filled: int, cells: int) -> str:
    """Return the share in per cent, rounded down: 100 % only if nothing is missing."""
    return f"{100 * filled // cells if cells else 100} %"


def _review_text(made: ReviewSheet, folder: Path) -> str:
    names = {
        "template": "templates",
        "form": "forms",
        "subject": "texts of subjects",
        "attribute": "texts of attributes",
        "rule": "changes by sound rules",
    }
    seen = ", ".join(counted(made.seen[kind], name) for kind, name in names.items() if made.seen[kind])
    lines = [f"review   {made.file}: {counted(made.rows, 'rows')} with {seen}"]
    if made.derived:
        derived = counted(made.derived, "rows have", "row has")
        lines.append(f"{derived} forms that a rule derived; the column derived marks such rows")
    return "\n".join(
        [*lines, f"once it is reviewed: nextset language review {folder} --from {made.file} --name NAME"]
    )


def _ticks_text(done: ReviewTicks) -> str:
    lines = [
        f"{done.name} ticked {done.ticked:,} of {counted(done.rows, 'rows')}"
        + (
            f"; recorded in {done.folder / 'pack.yaml'} (seen: {done.seen})"
            if done.recorded
            else "; nothing was written"
        )
    ]
    if done.replaced:
        lines.append(f"this replaces the earlier entry of {done.name} ({done.replaced})")
    if done.corrections:
        lines.append("corrections, which are not applied:")
    for c in done.corrections:
        lines.append(f"line {c.line}: {_short(c.id)}: {_short(c.correction)}")
        lines += [f"  change {_short(place)}" for place in c.look_at]
    lines += [f"comment: line {c.line}: {_short(c.place)}: {_short(c.message)}" for c in done.comments]
    lines += _some([f"refused: line {r.line}: {_short(r.place)}: {_short(r.message)}" for r in done.refused])
    return "\n".join(lines)
