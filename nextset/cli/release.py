"""`nextset release`: build a dataset version, compare versions, publish them on the Hub."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nextset.cli.options import Debug, Json, StudyFirst, StudyPath, TrustCode
from nextset.cli.output import errors, for_study, print_result
from nextset.cli.progress_bar import bars
from nextset.cli.release_hub import release_hub_app

if TYPE_CHECKING:
    from nextset.study.study_folder import Study

__all__ = ["release_app"]

release_app = typer.Typer(no_args_is_help=True, help="Build, compare and publish dataset versions.")
release_app.add_typer(release_hub_app)

_VERSION = "A version: its folder, or ORG/NAME@v1.0.0 on the Hub."


def refuse_stale(study: Study) -> None:
    """Raise StudyError without a section release, ArtifactError if a stage before the release is not done."""
    from nextset.errors import ArtifactError
    from nextset.pipeline.stage_list import stages_of
    from nextset.pipeline.status import status

    study.release  # noqa: B018 – raises the error of a study without the section
    names = [stage.name for stage in stages_of(study)]
    for stage_status in status(study)[: names.index("release")]:
        if stage_status.state != "done":
            why = f": {stage_status.why}" if stage_status.why else ""
            raise ArtifactError(
                f"{stage_status.stage} is {stage_status.state}{why}",
                remedy=f"run `nextset run {study.folder}`",
            )


@release_app.command(epilog="Example: nextset release build my-study")
def build(
    study: StudyPath, trust_code: TrustCode = False, as_json: Json = False, debug: Debug = False
) -> None:
    """Add counterfactuals, check pairs and duplicates, and write the dataset folder with its card."""
    with errors(debug, study), bars(quiet=as_json) as progress:
        from nextset.cli.stage_text import stage_text
        from nextset.pipeline.stage_list import stages_of
        from nextset.pipeline.stage_result import stage_result
        from nextset.release.dataset_files.stage import dataset_folder, version_text
        from nextset.study.study_folder import Study

        loaded = Study.load(study, trust_code)
        refuse_stale(loaded)
        results = [
            stage_result(stage, stage.run(loaded, progress))
            for stage in stages_of(loaded)
            if stage.command == "release build" or stage.name == "audit"  # the card shows the audit
        ]
        lines = [*map(stage_text, results), version_text(loaded), f"dataset  {dataset_folder(loaded)}"]
        data = {"dataset": str(dataset_folder(loaded)), "stages": [asdict(result) for result in results]}
        print_result("\n".join(lines), as_json, data)


@release_app.command(
    epilog="Example: nextset release diff lab/carers@v1.0.0 lab/carers@v1.1.0 --html diff.html"
)
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_VERSION)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_VERSION)],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the comparison as an HTML page.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare two versions: rows, labels, verdicts, and the measures of models on both."""
    with errors(debug), bars(quiet=as_json) as progress:
        from nextset.cli.release_diff import (
            compare_versions,
            comparison_json,
            comparison_page,
            comparison_text,
        )
        from nextset.errors import InputError
        from nextset.files.atomic_files import write_atomically
        from nextset.files.regular_file import has_file
        from nextset.release.hub.hub_reference import local_version

        if html is not None:
            has_file(html, InputError, "name a file after --html")
        before, after = (local_version(source, Path, progress=progress) for source in (old, new))
        compared = compare_versions(before, after)
        text = comparison_text(compared)
        if html is not None:
            write_atomically(html, comparison_page(compared).encode())
            text += f"\npage     {html}"
        print_result(text, as_json, comparison_json(compared))


@release_app.command(
    cls=StudyFirst,
    epilog="Example: nextset release withdraw my-study 261b4dd68e959431955950f21b784244 --reason 'Revised.'",
)
def withdraw(
    study: StudyPath,
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="Ids of items: all 32 digits, or at least the first four."),
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="The reason, which is published.")],
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Withdraw items and their counterparts from the next version, which lists them with the reason."""
    with errors(debug, study):
        from nextset.cli.release_withdraw import withdraw_items, withdrawn_text
        from nextset.study.study_folder import Study

        done = withdraw_items(Study.load(study, trust_code), ids, reason)
        print_result(
            for_study(withdrawn_text(done), study), as_json, {**asdict(done), "file": str(done.file)}
        )


@release_app.command(
    epilog="Example: nextset release export lab/carers@v1.0.0 --harness lm-eval --to tasks/lm_eval"
)
def export(
    version: Annotated[str, typer.Argument(metavar="VERSION", help=_VERSION)],
    harness: Annotated[Literal["lm-eval", "inspect"], typer.Option(help="The harness that runs the task.")],
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")],
    prompts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with your own wordings, as for scoring.prompts."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a task for lm-evaluation-harness or inspect_ai, pinned to the version."""
    with errors(debug):
        from nextset.cli.release_export import export_release

        files = [str(path) for path in export_release(version, harness, to, prompts)]
        print_result("\n".join(f"wrote {file}" for file in files), as_json, {"files": files})
