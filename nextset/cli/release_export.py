"""`nextset release export`: a dataset version as a task folder for an evaluation harness."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nextset.errors import InputError

if TYPE_CHECKING:
    from nextset.release.harness.release_source import ReleaseSource
    from nextset.release.harness.task_folder import HarnessPrompts

__all__ = ["Harness", "export_release", "harness_prompts"]

Harness = Literal["lm-eval", "inspect"]


def export_release(
    version: str | Path, harness: Harness, to: Path, prompts: Path | None = None
) -> tuple[Path, ...]:
    """Write a task folder for ``harness`` into ``to`` and return its files.

    ``version`` is a folder, or ORG/NAME@v1.2.0 on the Hub; ``prompts`` is a file of wordings, by default
    nextset's own. Raises InputError if ``version`` is neither, ArtifactError for a version without rows
    that harnesses can use, or if ``to`` holds other files, and StudyError for unreadable wordings.
    """
    from nextset.release.harness.inspect_export import write_inspect_task
    from nextset.release.harness.lm_eval_export import write_lm_eval_task
    from nextset.release.harness.release_source import release_source

    source = release_source(version)
    asked = _row_prompts(source, prompts) if source.task.prompts else harness_prompts(prompts)
    if harness == "lm-eval":
        return write_lm_eval_task(source, to, asked)
    if harness == "inspect":
        return write_inspect_task(source, to, asked)
    raise InputError(f"unknown harness {harness!r}", remedy="choose lm-eval or inspect")


def harness_prompts(file: Path | None = None) -> HarnessPrompts:
    """Return the prompts of an audit: the wordings in ``file``, or nextset's own.

    Raises StudyError if ``file`` cannot be read.
    """
    from nextset.forms import NLI
    from nextset.release.harness.task_folder import HarnessPrompts, HarnessWording
    from nextset.scoring.forms.nli import NliWording
    from nextset.scoring.prompt_wordings import own_prompts, read_prompts
    from nextset.scoring.prompts import answer_parsing
    from nextset.study.scoring_settings import ServerSettings

    prompts = own_prompts() if file is None else read_prompts(file)
    wordings = tuple(
        HarnessWording(w.prompt, (w.choices.entailment, w.choices.neutral, w.choices.contradiction))
        for w in prompts.sections[NLI.name].wordings
        if isinstance(w, NliWording)
    )
    parsing = inspect.getsource(answer_parsing)
    return HarnessPrompts(wordings, ServerSettings().answer_tokens, parsing)


def _row_prompts(source: ReleaseSource, file: Path | None) -> HarnessPrompts:
    """Return the prompts of rows that have choices of their own; raises InputError if ``file`` is given."""
    from nextset.release.harness.task_folder import HarnessPrompts, HarnessWording
    from nextset.scoring.prompts import answer_parsing
    from nextset.study.scoring_settings import ServerSettings
    from nextset.word_lists.answer_phrases import answer_phrases

    if file is not None:
        raise InputError(
            f"--prompts: the prompts of {source.task.rows} cannot be replaced", remedy="remove --prompts"
        )
    languages = {tag.split("-")[0] for tag in (*source.manifest.languages, "en")}
    phrases = [own for tag, own in answer_phrases().languages.items() if tag in languages]
    return HarnessPrompts(
        tuple(HarnessWording(prompt, ()) for prompt in source.task.prompts),
        ServerSettings().answer_tokens,
        inspect.getsource(answer_parsing),
        tuple(phrase for own in phrases for phrase in own.abstentions),
        tuple(phrase for own in phrases for phrase in own.refusals),
    )
