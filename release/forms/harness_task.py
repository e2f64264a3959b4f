"""The part of a form in exports for evaluation harnesses: the files that a task folder gets."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HarnessTask"]


@dataclass(frozen=True)
class HarnessTask:
    """The files of a form's task folders, by their names in `nextset.release.harness`."""

    rows: str
    """The noun for the rows, such as NLI items."""
    measures: str
    """The module with the rows that count, the prompts and the measures."""
    lm_eval: str
    """The module with the task for lm-evaluation-harness."""
    tasks: tuple[tuple[str, str, str, str], ...]
    """For each of its tasks: the end of its name (may be empty), the class in ``lm_eval``, the split, and the
    harness's type of output."""
    inspect: str
    """The module with the task for inspect_ai; it is copied as task.py."""
    readme: str
    """The template of README.md."""
    prompts: tuple[str, ...] = ()
    """The prompts, with a placeholder for each of ``placeholders``; empty if they are those of the audit."""
    choices: int = 0
    """The number of choices of each prompt; 0 if each row has choices of its own."""
