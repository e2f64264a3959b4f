"""The export for inspect_ai: a task over the items or the controls."""

from __future__ import annotations

from pathlib import Path

from nextset.release.harness.release_source import ReleaseSource
from nextset.release.harness.task_folder import (
    HarnessPrompts,
    common_files,
    exported_text,
    write_task_folder,
)

__all__ = ["write_inspect_task"]


def write_inspect_task(source: ReleaseSource, out: Path, prompts: HarnessPrompts) -> tuple[Path, ...]:
    """Write a task folder for inspect_ai into ``out`` and return its files.

    Run the task with `inspect eval OUT/task.py --model PROVIDER/MODEL`. The same input gives the same bytes.
    Raises ArtifactError if ``out`` holds other files or if there are no prompts.
    """
    files = common_files(source, prompts, "inspect_ai")
    files["task.py"] = exported_text(source.task.inspect)
    files["answer_parsing.py"] = prompts.answer_parsing.encode()
    return write_task_folder(out, files)
