"""Every command: its options, and the one function that it calls."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nextset.cli.cache import cache_app
from nextset.cli.models import models_app
from nextset.cli.options import Debug, Json, StudyPath
from nextset.cli.output import errors, say
from nextset.cli.progress_bar import bars
from nextset.cli.validate import validate_app

__all__ = ["app"]

app = typer.Typer(
    name="nextset",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=(
        "Build benchmark datasets that stay hard as language models improve: write templates, let a model "
        "fill masks, keep what models get wrong, have people judge it, release it, measure bias with it.\n\n"
        "Begin with `nextset new my-study`, then `nextset run my-study`."
    ),
)
release_app = typer.Typer(no_args_is_help=True, help="Make the dataset version.")
app.add_typer(validate_app, name="validate", rich_help_panel="Stages, one by one")
app.add_typer(release_app, name="release", rich_help_panel="Stages, one by one")
app.add_typer(models_app, name="models", rich_help_panel="Look")
app.add_typer(cache_app, name="cache", rich_help_panel="Look")

_START = "Begin here"
_LOOK = "Look"
_STAGES = "Stages, one by one"


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("nextset"))
        raise typer.Exit


@app.callback()
def _nextset(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(rich_help_panel=_START)
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a study with one template that runs."""
    with errors(debug):
        from nextset.cli.new import new_study

        made = new_study(folder)
        say(f"made {made}; now try: nextset run {made}", as_json, {"folder": str(made)})


@app.command(rich_help_panel=_START)
def run(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Run every stage that is not done, from templates to the report."""
    with errors(debug), bars(quiet=as_json) as progress:
        from nextset.cli import run as walk
        from nextset.cli.stage_text import stage_text, summary_text
        from nextset.study.study_folder import Study

        def told(result: walk.StageResult) -> None:
            if not as_json:
                say(stage_text(result), False, None)

        summary = walk.run(Study.load(study), progress, told)
        say(summary_text(summary), as_json, summary.as_json())


@app.command(rich_help_panel=_LOOK)
def status(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Say of each stage whether it is done, stale, missing, unfinished or damaged."""
    with errors(debug):
        from nextset.cli import status as looking
        from nextset.cli.stage_text import status_text
        from nextset.study.study_folder import Study

        stages = looking.status(Study.load(study))
        say(status_text(stages), as_json, [asdict(s) for s in stages])


@app.command(rich_help_panel=_LOOK)
def preview(
    study: StudyPath,
    examples: Annotated[int, typer.Option("-n", min=0, help="Examples of each kind.")] = 2,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a few items of each kind, and what a run would cost, without asking a model."""
    with errors(debug):
        from nextset.cli.stage_text import preview_text
        from nextset.generation.preview import preview as reckon
        from nextset.study.study_folder import Study

        reckoned = reckon(Study.load(study), examples)
        say(preview_text(reckoned), as_json, asdict(reckoned))


@app.command(rich_help_panel=_LOOK)
def lint(
    path: Annotated[Path, typer.Argument(help="A study, a template file or folder, or a language pack.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check what you wrote for slips that would still run; exits with 3 when there are some."""
    with errors(debug):
        from nextset.cli.lint import lint as look
        from nextset.cli.stage_text import lint_text

        linted = look(path)
        findings = [{**asdict(f), "file": str(f.file)} for f in linted.findings]
        say(lint_text(linted), as_json, {"files": len(linted.files), "findings": findings})
    if findings:
        raise typer.Exit(3)


def _pairs(given: list[str], option: str) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in given)
    for name, value in pairs.items():
        if not name or not value:
            raise typer.BadParameter("write NAME=VALUE", param_hint=option)
    return pairs


@app.command("import", rich_help_panel=_START)
def import_(
    file: Annotated[Path, typer.Argument(help="Pairs, or an earlier release: CSV, JSONL or Parquet.")],
    study: StudyPath,
    column: Annotated[
        list[str] | None, typer.Option(help="NAME=YOURS: your file's column for one of ours. Again for more.")
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE: one value for all rows. Again for more.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Bring your own premise–hypothesis pairs, or an earlier release, into a study."""
    columns, values = _pairs(column or [], "--column"), _pairs(value or [], "--value")
    with errors(debug):
        from nextset.generation.imports.pair_import import import_pairs
        from nextset.study.study_folder import Study

        done = import_pairs(Study.load(study), file, columns=columns, defaults=values)
        text = f"{done.items:,} items in {done.file} ({done.merged:,} rows had the text of another)"
        say(text, as_json, {**asdict(done), "file": str(done.file)})


def _stage(name: str, study: Path, as_json: bool, debug: bool, report: str = "") -> None:
    """Run the one stage ``name``, and the one that makes its ``report``."""
    with errors(debug), bars(quiet=as_json) as progress:
        from nextset.cli.run import stage_result
        from nextset.cli.stage_list import STAGES
        from nextset.cli.stage_text import stage_text
        from nextset.study.study_folder import Study

        stages = [s for s in STAGES if s.name in (name, report)]
        results = [stage_result(s.name, s.run(Study.load(study), progress)) for s in stages]
        lines = []
        for result in results:
            counted = [f"          {reason}: {n:,}" for reason, n in result.counts.items() if n]
            lines += [stage_text(result), *counted]
        data = asdict(results[0])
        say("\n".join(lines), as_json, {**data, "report": asdict(results[1])} if report else data)


@app.command(rich_help_panel=_STAGES)
def generate(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Expand templates into items, and language packs into question sets."""
    _stage("generate", study, as_json, debug)


@app.command(rich_help_panel=_STAGES)
def fill(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Let a masked language model fill the masks."""
    _stage("fill", study, as_json, debug)


@app.command(rich_help_panel=_STAGES)
def score(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Ask the filter's models about every item."""
    _stage("score", study, as_json, debug)


@app.command("filter", rich_help_panel=_STAGES)
def filter_(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Keep what the models find hard, then ask the held-out models and report."""
    _stage("filter", study, as_json, debug, report="filter_report")


@app.command(rich_help_panel=_STAGES)
def audit(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Measure every model, the held-out ones too, on the plain and the new set."""
    _stage("audit", study, as_json, debug)


@app.command(rich_help_panel=_STAGES)
def report(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Write the HTML report."""
    _stage("report", study, as_json, debug)


@release_app.command("build")
def release_build(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Add the counterfactuals and write the dataset folder with its card."""
    _stage("release", study, as_json, debug)


@validate_app.command("apply", rich_help_panel="Results")
def validate_apply(study: StudyPath, as_json: Json = False, debug: Debug = False) -> None:
    """Put the verdicts that are there onto the items."""
    _stage("validate", study, as_json, debug)
