"""The export for lm-evaluation-harness: the tasks over a version's rows."""

from __future__ import annotations

from collections.abc import Mapping
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
    module = source.task.lm_eval
    files[module] = exported_text(module)
    if not source.task.choices:
        files["answer_parsing.py"] = prompts.answer_parsing.encode()
    for end, class_, split, output in source.task.tasks:
        if source.manifest.files_of(source.kind, split):
            function = _Function(f"{module.removesuffix('.py')}.{class_}")
            limits = {"until": [], "max_gen_toks": prompts.answer_tokens, "do_sample": False}
            written = {"generation_kwargs": limits} if output == "generate_until" else {}
            task = {"class": function, "test_split": split, "output_type": output, **written}
            files[f"{name}{end}.yaml"] = _task(source, f"{name}{end}", task)
    return write_task_folder(out, files)


def _task(source: ReleaseSource, name: str, own: Mapping[str, Any]) -> bytes:
    import yaml

    class Dumper(yaml.SafeDumper):
        """A dumper that writes functions with the harness's tag."""

    Dumper.add_representer(_Function, lambda dumper, value: dumper.represent_scalar("!function", str(value)))
    # This file has no texts of the dataset, and the class renders no templates, so item texts stay texts.
    task: dict[str, Any] = {
        "task": name,
        "dataset_path": source.path,
        **({"dataset_name": source.config} if source.config else {}),
        "dataset_kwargs": dict(source.arguments),
        **own,
        "num_fewshot": 0,
        "metadata": {"version": source.manifest.version, "controls": own["test_split"] == "controls"},
    }
    text: str = yaml.dump(task, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text.encode()
