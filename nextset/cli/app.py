"""The commands: their options, and the one function that each command calls."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nextset.cli.added_commands import add_commands
from nextset.cli.cache import cache_app
from nextset.cli.help_headings import INSPECT, MORE, RELEASE, START, ByHeading
from nextset.cli.language import language_app
from nextset.cli.models import models_app
from nextset.cli.options import (
    Debug,
    Json,
    Labels,
    StudyFirst,
    StudyPath,
    TrustCode,
    WaiveCanaries,
    folder_argument,
    model_settings,
    options_of_models,
)
from nextset.cli.output import errors, for_study, print_note, print_result
from nextset.cli.probe import probe
from nextset.cli.progress_bar import bars
from nextset.cli.release import release_app
from nextset.cli.stage_command import note_stale, run_stage
from nextset.cli.train import train
from nextset.cli.validate import validate_app
from nextset.counted import counted

__all__ = ["app"]

app = typer.Typer(
    name="nextset",
    cls=ByHeading,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help=(
        "Build benchmark datasets that stay hard as language models improve: write templates, let a model "
        "fill masks, keep the items that models get wrong, have people judge them, release the dataset, "
        "measure bias with it.\n\n"
        "Start with `nextset new my-study`, then `nextset run my-study`."
    ),
)
app.add_typer(validate_app, name="validate", rich_help_panel=RELEASE)
app.add_typer(release_app, name="release", rich_help_panel=RELEASE)
app.add_typer(language_app, name="language", rich_help_panel=START)
app.add_typer(models_app, name="models", rich_help_panel=MORE)
app.add_typer(cache_app, name="cache", rich_help_panel=MORE)


def _version(requested: bool) -> None:
    if requested:
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


@app.command(rich_help_panel=START, epilog="Example: nextset new my-study")
def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to create.")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Create a study with one template, ready to run."""
    with errors(debug):
        from nextset.cli.new import new_study

        name = new_study(folder).settings.name
        renamed = "" if name == folder.resolve().name else f" (in study.yaml, the study has the name {name})"
        text = f"created {folder}{renamed}; now try: nextset run {shlex.quote(str(folder))}"
        print_result(text, as_json, {"folder": str(folder), "name": name})


@app.command(rich_help_panel=START, epilog="Example: nextset run my-study")
def run(
    study: StudyPath,
    until: Annotated[
        str | None,
        typer.Option(metavar="STAGE", show_default=False, help="The last stage to run. Default: all stages."),
    ] = None,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run every unfinished stage, from templates to the report."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.stage_text import stage_text, summary_text
        from nextset.cli.study_lint import LICENCE, UNUSED_SECTION
        from nextset.pipeline.run import run as run_stages
        from nextset.pipeline.stage_result import StageResult
        from nextset.study.study_folder import Study

        def print_stage(result: StageResult) -> None:
            if not as_json:
                print_result(stage_text(result), False, None)

        loaded = Study.load(study, trust_code)
        for finding in (*LICENCE.findings(loaded), *UNUSED_SECTION.findings(loaded)):
            print_note(f"note: {finding.file}:{finding.line or 1}: {finding.message}")
        summary = run_stages(loaded, progress, print_stage, until=until)
        print_result(summary_text(summary), as_json, summary.as_json())


@app.command(rich_help_panel=START, epilog="Example: nextset status my-study --all")
def status(
    study: StudyPath,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare the content of every file with its hash.")
    ] = False,
    every_stage: Annotated[bool, typer.Option("--all", help="Show every stage of the six steps.")] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show whether each step is done, stale, missing, unfinished or damaged, and the next command.

    Checks that every file of a finished stage exists and has the right size; with --deep, its content too.
    """
    with errors(debug, study):
        from nextset.pipeline.status_record import StatusRecord

        record = StatusRecord(study, trust_code)
        shown = None if deep else record.read()
        if shown is None:
            from nextset.cli.status_text import shown_status

            with record.kept() as kept:
                shown, decided_by_files = shown_status(study, deep=deep, trust_code=trust_code)
                kept += [shown] if decided_by_files and not deep else []
        stages = [{**stage, "why": for_study(stage["why"], study)} for stage in shown["stages"]]
        print_result(for_study(shown["stages_text" if every_stage else "steps_text"], study), as_json, stages)


app.command(
    rich_help_panel=INSPECT,
    epilog="Example: nextset probe --model builtin:nli-electra --premise 'A dog sleeps.' "
    "--hypothesis 'A dog is asleep.'",
)(probe)


app.command(rich_help_panel=MORE, epilog="Example: nextset train reader.yaml")(train)


@app.command(rich_help_panel=INSPECT, epilog="Example: nextset preview my-study -n 5")
def preview(
    study: StudyPath,
    examples: Annotated[
        int, typer.Option("-n", min=0, metavar="N", help="The number of examples of each kind.")
    ] = 2,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a few items of each kind and estimate the cost of a run, with models timed on a few rows."""
    with errors(debug, study):
        from nextset.cli.server_preview import estimate_servers
        from nextset.cli.server_text import servers_text
        from nextset.cli.stage_text import preview_text, time_text
        from nextset.cli.study_lint import UNUSED_SECTION
        from nextset.cli.time_estimate import estimate_time
        from nextset.generation.preview import preview as study_preview
        from nextset.study.study_folder import Study

        loaded = Study.load(study, trust_code)
        for finding in UNUSED_SECTION.findings(loaded):
            print_note(f"note: {finding.file}:{finding.line or 1}: {finding.message}")
        previewed = study_preview(loaded, examples)
        if not as_json:
            print_result(preview_text(previewed), False, None)  # a large model takes a while to load
        servers = estimate_servers(loaded, previewed)
        if not as_json and servers:
            limits = loaded.settings.scoring.server
            print_result(servers_text(servers, limits), False, None)
        times = estimate_time(loaded, previewed)
        data = {**previewed.as_json(), "times": [asdict(t) for t in times]}
        data |= {"servers": [asdict(e) for e in servers]}
        print_result(time_text(times), as_json, data)


@app.command(rich_help_panel=INSPECT, epilog="Example: nextset lint my-study")
def lint(
    path: Annotated[Path, folder_argument("PATH", "A study, a template file or folder, or a language pack.")],
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check your files for mistakes that would not stop a run. Exits with 3 if it finds any."""
    with errors(debug):
        from nextset.cli.lint import lint as lint_path
        from nextset.cli.stage_text import lint_text

        linted = lint_path(path, trust_code=trust_code)
        findings = [{**asdict(f), "file": str(f.file)} for f in linted.findings]
        as_data = {"files": len(linted.files), "findings": findings, "accepted": len(linted.accepted)}
        as_data |= {"without_list": list(linted.without_list)}
        print_result(lint_text(linted), as_json, as_data)
    if findings:
        raise typer.Exit(3)


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in texts)
    for name, value in pairs.items():
        if not name or not value:
            raise typer.BadParameter("write NAME=VALUE", param_hint=option)
    return pairs


@app.command(
    "import",
    cls=StudyFirst,
    rich_help_panel=START,
    epilog="Example: nextset import my-study pairs.csv --column premise=text --value domain=gender",
)
def import_(
    study: StudyPath,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A CSV, TSV, JSONL or Parquet file with pairs, or a release's folder."
        ),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=YOURS",
            help="Take nextset's column NAME from your column YOURS. Can be repeated.",
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="The VALUE of column NAME in rows without one. Can be repeated.",
        ),
    ] = None,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Import your own premise–hypothesis pairs, or an earlier release, into a study."""
    columns, values = _pairs(column or [], "--column"), _pairs(value or [], "--value")
    with errors(debug, study):
        from nextset.errors import examples
        from nextset.generation.imports.pair_import import import_pairs
        from nextset.study.study_folder import Study

        done = import_pairs(Study.load(study, trust_code), file, columns=columns, defaults=values)
        same = counted(done.merged, "rows had the same text as another row")
        text = f"{counted(done.items, 'items')} in {done.file} ({same})"
        if done.ignored:
            text += "\nignored columns: " + ", ".join(name or "(no name)" for name in done.ignored)
        if done.replaced:
            lost = counted(done.replaced, "items of an earlier import", "item of an earlier import")
            text += f"\nreplaced: {lost} to this file; to keep them too, import FILE under a different name"
        if done.unnamed:
            text += (
                f"\nrows whose hypothesis names neither group1 nor group2: {len(done.unnamed):,} "
                f"(lines {examples(done.unnamed)}); a release finds only groups that the lexicon lists"
            )
        print_result(text, as_json, {**asdict(done), "file": str(done.file)})


@app.command(rich_help_panel=MORE, epilog="Example: nextset generate my-study")
def generate(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Expand templates into items, and language packs into question sets."""
    run_stage("generate", study, trust_code, as_json, debug)


@app.command(rich_help_panel=MORE, epilog="Example: nextset port my-study")
def port(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Bring a set of choices to another culture: the sheet of decisions, the survey page and its results."""
    run_stage("port", study, trust_code, as_json, debug, first=("generate",))


@app.command(rich_help_panel=MORE, epilog="Example: nextset fill my-study")
def fill(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Let a model fill the masks, or propose whole hypotheses."""
    run_stage("fill", study, trust_code, as_json, debug)


@app.command(rich_help_panel=MORE, epilog="Example: nextset score my-study")
def score(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Score every candidate with the filter models."""
    run_stage("score", study, trust_code, as_json, debug)


@app.command("filter", rich_help_panel=MORE, epilog="Example: nextset filter my-study")
def filter_(
    study: StudyPath,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare filter rules instead, each model held out once. Asks no model and changes nothing.",
        ),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Keep the items that are hard for the models, then ask the held-out models and write a report."""
    if not compare:
        run_stage("filter", study, trust_code, as_json, debug, report="filter_report")
        return
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.rule_comparison_text import comparison_text
        from nextset.filtering.comparison_stage import compare_rules
        from nextset.study.study_folder import Study

        loaded = Study.load(study, trust_code)
        note_stale(loaded, study, "score")
        comparison = compare_rules(loaded, progress)
        rows = {name: comparison.table(name).to_pylist() for name in ("rules", "held_out")}
        data = {"built": comparison.built, "page": str(comparison.folder / "index.html"), **rows}
        print_result(comparison_text(comparison), as_json, data)


@app.command(
    rich_help_panel=INSPECT,
    epilog="Example: nextset audit lab/carers@v1.0.0 --model builtin:nli-albert",
)
def audit(
    datasets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATASET...",
            show_default=False,
            help="A study, the folder of a dataset version, ORG/NAME@v1.0.0 on the Hub, or files with "
            "predictions in UnQover's format. Default: the current folder.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A model to ask, if no study is audited. Can be repeated."),
    ] = None,
    labels: Labels = "",
    waive_canaries: WaiveCanaries = "",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            show_default=False,
            help="The folder for results, if no study is audited. Default: audit-NAME-VERSION.",
        ),
    ] = None,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure every model of a study, or any models on any dataset version, or published predictions."""

    from nextset.cli.audit_dataset import is_study_stage

    named, settings = datasets or ["."], model_settings(labels, waive_canaries)
    models = dict.fromkeys(model or [], settings)
    if labels and len(models) != 1:
        raise typer.BadParameter("name one model with --model, whose labels they are", param_hint="--labels")
    if waive_canaries and not models:
        raise typer.BadParameter("name the models with --model", param_hint="--waive-canaries")
    if is_study_stage(named, models, out):
        run_stage("audit", Path(named[0]), trust_code, as_json, debug)
        return
    with errors(debug), options_of_models(), bars(quiet=as_json) as progress:
        from nextset.cli.audit_dataset import audit_dataset, audit_text

        audited = audit_dataset(named, models, out, trust_code=trust_code, progress=progress)
        print_result(audit_text(audited), as_json, audited.table("measures").to_pylist())


@app.command(rich_help_panel=MORE, epilog="Example: nextset report my-study")
def report(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Write the HTML report of the audit."""
    run_stage("report", study, trust_code, as_json, debug)


@validate_app.command("apply", rich_help_panel="Results", epilog="Example: nextset validate apply my-study")
def validate_apply(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Add the verdicts collected so far to the items."""
    run_stage("validate", study, trust_code, as_json, debug)


add_commands(app)
