"""`nextset train FILE`: fine-tune a model and print its figures."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nextset.cli.options import Debug, Json
from nextset.cli.output import errors, print_result
from nextset.cli.progress_bar import bars
from nextset.counted import counted

if TYPE_CHECKING:
    from nextset.artifacts.artifact import Artifact

__all__ = ["figure_lines", "train"]


def train(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The training.yaml, or the folder that contains it.")
    ],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Fine-tune an NLI classifier, a reader or a masked language model on your data.

    Stop it at any time and run it again to resume. For several GPUs, start it with torchrun or accelerate.
    """
    with errors(debug), bars(quiet=as_json or not _first()) as progress:
        from nextset.training.fine_tuning.model_training import train_model

        artifact = train_model(file, progress)
        if _first():
            print_result(_text(artifact), as_json, _data(artifact))


def _first() -> bool:
    """Return whether this process reports, among those that torchrun or accelerate started."""
    import os

    return os.environ.get("RANK", "0") == "0"


def _data(artifact: Artifact) -> dict[str, Any]:
    rows = artifact.table("figures").to_pylist()
    return {
        "built": artifact.built,
        "folder": str(artifact.folder),
        "page": str(artifact.folder / "training.html"),
        "run": artifact.table("run").to_pylist()[0],
        "counts": artifact.table("counts").to_pylist(),
        "figures": {row["figure"]: row["value"] for row in rows if row["when"] == "after"},
    }


def _text(artifact: Artifact) -> str:
    data = _data(artifact)
    run = data["run"]
    lines = [
        f"{artifact.folder.name}: {artifact.built}; {run['steps']:,} of "
        f"{counted(run['planned_steps'], 'steps')} on {run['device']} in {run['precision']}",
        *(f"  {row['split']:<10} {_counted(row)}" for row in data["counts"]),
        *_warnings(data["counts"]),
        *figure_lines(data["figures"]),
        f"model  {artifact.folder}",
        f"page   {data['page']}",
        *_kept(artifact.folder),
        f"try: nextset models check {shlex.quote(str(artifact.folder))}",
        *_advice(artifact.folder, data),
    ]
    return "\n".join(lines)


def _counted(row: Mapping[str, Any]) -> str:
    ids = f": {row['first_ids']}" if row["first_ids"] else ""
    return f"{counted(row['count'], row['what'])}{ids}"


def _warnings(counts: Sequence[Mapping[str, Any]]) -> list[str]:
    from nextset.training.training_data.faulty_answers import faulty_answers_note

    note = faulty_answers_note({row["what"]: row["count"] for row in counts if row["split"] == "train"})
    return [f"warning: {note}"] if note else []


def _kept(folder: Path) -> list[str]:
    """Return a line on checkpoints of other recipes, if there are any."""
    others = folder.with_name(f"{folder.name}.checkpoints")
    return [f"kept   {others}: checkpoints of other recipes"] if others.is_dir() else []


def _advice(folder: Path, data: Mapping[str, Any]) -> list[str]:
    """Return what to do if the check refuses a model because its card has no canaries."""
    from nextset.scoring.canaries.card_canaries import card_canaries
    from nextset.scoring.models.sources import locate

    if data["run"]["architecture"].endswith("ForMaskedLM") or card_canaries(locate(str(folder))):
        return []
    return [
        "if that refuses the model: add canaries (clear cases like your data) to the YAML file, delete the",
        "model's README.md, and run this again; only the card is written anew",
    ]


def figure_lines(figures: dict[str, float]) -> list[str]:
    """Return a line per figure: shares in per cent, counts as whole numbers."""
    from nextset.training.metrics.figure_text import figure_text

    width = max(map(len, figures), default=0)
    return [f"  {name:<{width}}  {figure_text(name, value):>8}" for name, value in figures.items()]
