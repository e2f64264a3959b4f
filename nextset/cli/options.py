"""Options and arguments that several commands share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from nextset.study.scoring_settings import ModelSettings

__all__ = [
    "Debug", "Json", "Labels", "StudyFirst", "StudyPath", "TrustCode", "WaiveCanaries", "folder_argument",
    "model_settings", "options_of_models",
]  # fmt: skip


def folder_argument(metavar: str, help: str) -> Any:
    """Return an argument that names a folder; the default is the current one."""
    described = f"{help} Default: the current folder."
    return typer.Argument(metavar=metavar, default_factory=Path, show_default=False, help=described)


Json = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
TrustCode = Annotated[
    bool,
    typer.Option(
        "--trust-code", help="Run the Python code of files that the study names, such as rules.py:my_rule."
    ),
]
Labels = Annotated[
    str,
    typer.Option(
        metavar="LABELS", help="The labels of the outputs, in order: entailment,neutral,contradiction."
    ),
]
WaiveCanaries = Annotated[
    str, typer.Option(metavar="REASON", help="Do not ask canaries, for this REASON.", show_default=False)
]
StudyPath = Annotated[Path, folder_argument("STUDY", "The study's folder.")]


def model_settings(labels: str, waive_canaries: str = "", option: str = "--labels") -> ModelSettings:
    """Return the settings of a model that the options of a command give; ``option`` names the labels."""
    from pydantic import ValidationError

    from nextset.study.scoring_settings import ModelSettings

    given = [label.strip() for label in labels.split(",")] if labels.strip() else []
    try:
        return ModelSettings.model_validate({"labels": given, "canaries_waived": waive_canaries.strip()})
    except ValidationError:
        raise typer.BadParameter(
            "write labels separated by commas: entailment, neutral, contradiction or not_entailment",
            param_hint=option,
        ) from None


def options_of_models(labels: str = "--labels") -> AbstractContextManager[None]:
    """Let errors name the options of a command that give settings of models."""
    from nextset.study.model_key import models_alone

    return models_alone(labels=labels, canaries_waived="--waive-canaries")


class StudyFirst(TyperCommand):
    """A command with other arguments after STUDY, which is the current folder if it is omitted.

    Only the OTHER of `validate merge` can be a study.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the current folder before ``args`` if they name no study; refuse a study that comes later."""
        arguments = [p for p in self.params if p.param_type_name == "argument"]
        parsed, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        values: list[str] = []
        for argument in arguments:
            value = parsed.get(str(argument.name)) or ()
            values += [value] if isinstance(value, str) else value
        exists = bool(values) and (Path(values[0]).is_dir() or _is_study(values[0]))
        late = [value for value in values[1:] if _is_study(value)]
        several = arguments[-1].nargs == -1
        if exists and late and arguments[1].name == "file":
            ctx.fail(f"{late[0]} is a study. STUDY comes first, then FILE: {ctx.command_path} STUDY FILE")
        if late and not exists:
            rest = " ".join(value for value in values if value != late[0])
            ctx.fail(f"STUDY comes first: {ctx.command_path} {late[0]} {rest}")
        without_study = len(values) == len(arguments) - 1 or (several and not exists and _is_study("."))
        only_study = exists and _is_study(values[0]) and not (arguments[1].name == "other" and _is_study("."))
        if without_study and not only_study:
            args = [".", *args]
        return super().parse_args(ctx, args)


def _is_study(value: str) -> bool:
    path = Path(value)
    return (path / "study.yaml").is_file() or (path.name == "study.yaml" and path.is_file())
