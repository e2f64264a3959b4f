"""`nextset release push` and `nextset release verify`: dataset versions on the Hugging Face Hub."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nextset.cli.options import Debug, Json, StudyFirst, TrustCode, folder_argument
from nextset.cli.output import errors, print_note, print_result
from nextset.cli.progress_bar import bars
from nextset.errors import ArtifactError, NextsetError

if TYPE_CHECKING:
    from nextset.release.hub.push_plan import PushPlan

__all__ = ["release_hub_app", "version_in"]

release_hub_app = typer.Typer(no_args_is_help=True, help="Publish dataset versions on the Hugging Face Hub.")

_HUB = "On the Hugging Face Hub"


@release_hub_app.command(
    cls=StudyFirst, rich_help_panel=_HUB, epilog="Example: nextset release push my-study lab/carers --dry-run"
)
def push(
    folder: Annotated[
        Path,
        folder_argument("STUDY-OR-VERSION", "The study that built the version, or the version's folder."),
    ],
    repo: Annotated[str, typer.Argument(metavar="ORG/NAME", help="The dataset's repository on the Hub.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, with sizes and the card; send nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Publish without asking.")] = False,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Publish even if built-in models or a rule helped make the version."),
    ] = False,
    trust_code: TrustCode = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Publish a version as one commit with a tag, once every file is uploaded, downloaded and compared.

    The token is HF_TOKEN, or that of `hf auth login`. To resume an interrupted push, run it again.
    """
    with errors(debug, folder):
        from nextset.cli.release_hub_text import plan_text, pushed_text
        from nextset.release.hub.push import push_version

        def confirm(plan: PushPlan) -> bool:
            if not as_json:
                print_note(plan_text(plan))
            if yes:
                return True
            if as_json or not sys.stdin.isatty():
                raise NextsetError(
                    "nothing was sent, because the plan was not confirmed",
                    remedy="run it again with --yes, or first with --dry-run to see the plan",
                )
            return typer.confirm("publish it?", err=True)

        place = version_in(folder, trust_code)
        with bars(quiet=as_json) as progress:
            done = push_version(
                place,
                repo,
                demo=demo,
                dry_run=dry_run,
                confirm=confirm,
                progress=progress,
                note=print_note,
            )
        print_result(pushed_text(done), as_json, asdict(done))


@release_hub_app.command(rich_help_panel=_HUB, epilog="Example: nextset release verify lab/carers@v1.0.0")
def verify(
    source: Annotated[
        str, typer.Argument(metavar="ORG/NAME@VERSION", help="A version on the Hub, or a folder.")
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare a published version with its manifest, file by file; exits with 4 if something differs.

    Public versions need no token.
    """
    with errors(debug):
        from nextset.cli.release_hub_text import verification_text
        from nextset.release.hub.verification import verify_version

        with bars(quiet=as_json) as progress:
            verification = verify_version(source, progress=progress, note=print_note)
        print_result(
            verification_text(verification), as_json, {**asdict(verification), "intact": verification.intact}
        )
    if not verification.intact:
        raise SystemExit(ArtifactError.exit_code)


def version_in(folder: Path, trust_code: bool = False) -> Path:
    """Return ``folder`` if it is a version's folder, else the folder of its study's last version."""
    from nextset.artifacts.artifact import is_current
    from nextset.release.dataset_files.stage import dataset_folder, dataset_version_recipe
    from nextset.release.version_folder.release_manifest import MANIFEST
    from nextset.study.study_folder import Study

    if (folder / MANIFEST).is_file() or not (folder / "study.yaml").is_file():
        return folder
    study = Study.load(folder, trust_code)
    place = dataset_folder(study)
    if not is_current(study.out / "dataset_version", dataset_version_recipe(study)):
        raise ArtifactError(
            f"{place} is out of date: study.yaml or a stage changed after it was built",
            remedy=f"run `nextset run {folder}`, or name the version's folder to use it as it is",
        )
    return place
