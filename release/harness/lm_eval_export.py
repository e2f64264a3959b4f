"""The export for lm-evaluation-harness: a task over the bias items, and one over the controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nextset.release.harness.release_source import ReleaseSource
from nextset.release.harness.task_folder import (
    HarnessPrompts,
    common_files,
    exported_text,
    task_name,
    write_task_folder,
)

__all__ = ["write_lm_eval_task"]


class _Function(str):
    """The name of a class or function in a Python file next to the YAML file."""

    __slots__ = ()


def write_lm_eval_task(source: ReleaseSource, out: Path, prompts: HarnessPrompts) -> tuple[Path, ...]:
    """Write a task folder for lm-evaluation-harness into ``out`` and return its files.

    Run the task with `lm_eval --include_path OUT --tasks NAME`, where NAME is the YAML file's name. The same
    input gives the same bytes. Raises ArtifactError if ``out`` holds other files or if there are no prompts.
    """
    name = task_name(source)
    files = common_files(source, prompts, "lm-evaluation-harness")
    files["lm_eval_items.py"] = exported_text("lm_eval_items.py")
    files[f"{name}.yaml"] = _task(source, name, controls=False)
    if source.controls:
        files[f"{name}_controls.yaml"] = _task(source, f"{name}_controls", controls=True)
    return write_task_folder(out, files)


def _task(source: ReleaseSource, name: str, controls: bool) -> bytes:
    import yaml

    class Dumper(yaml.SafeDumper):
        """A dumper that writes functions with the harness's tag."""

    Dumper.add_representer(_Function, lambda dumper, value: dumper.represent_scalar("!function", str(value)))
    # This file has no texts of the dataset, and the class renders no templates, so item texts stay texts.
    task: dict[str, Any] = {
        "task": name,
        "class": _Function("lm_eval_items.NliItems"),
        "dataset_path": source.path,
        **({"dataset_name": source.config} if source.config else {}),
        "dataset_kwargs": dict(source.arguments),
        "test_split": "controls" if controls else "test",
        "output_type": "multiple_choice",
        "num_fewshot": 0,
        "metadata": {"version": source.manifest.version, "controls": controls},
    }
    text: str = yaml.dump(task, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text.encode()
