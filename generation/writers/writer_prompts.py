"""Prompts for models that propose words and hypotheses; nextset's own are in `prompts/en.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from nextset.errors import StudyError
from nextset.files.yaml_model import EXACT, HandWritten, read_model
from nextset.files.yaml_reader import LocatedYaml, line_of
from nextset.generation.writers.mask_phrases import MaskPhrases
from nextset.records.content_ids import content_id
from nextset.scoring.prompts.prompt_placeholders import PromptText, check_placeholders, placeholders_of

__all__ = ["PromptKind", "WriterPrompt", "WriterPrompts", "read_writer_prompts", "writer_prompts_file"]

PromptKind = Literal["one_word", "several_words", "pro", "anti"]
"""The object of a request: a word for one mask, words for several masks, or a hypothesis of a stance."""

_BUILTIN = "builtin:"
_FOLDER = Path(__file__).parent / "prompts"
_WORDS = ("number", "sentences")
_DEMANDS = "demands"
_HYPOTHESES = ("number", "stereotype", "group1", "group2")
_NEEDED: dict[PromptKind, tuple[str, ...]] = {
    "one_word": _WORDS, "several_words": _WORDS, "pro": _HYPOTHESES, "anti": _HYPOTHESES,
}  # fmt: skip
"""The placeholders that every prompt of a kind has."""
_OPTIONAL: dict[PromptKind, tuple[str, ...]] = {
    "one_word": (), "several_words": (), "pro": ("about", "source"), "anti": ("about", "source"),
}  # fmt: skip
"""The placeholders that a prompt of a kind may have in addition."""


_Prompt = Annotated[PromptText, EXACT]


class _File(HandWritten):
    """A file of prompts."""

    format: Literal[1]
    one_word: _Prompt = ""
    several_words: _Prompt = ""
    pro: _Prompt = ""
    anti: _Prompt = ""
    demands: MaskPhrases | None = None


@dataclass(frozen=True)
class WriterPrompt:
    """A prompt as it is in the study, with its placeholders."""

    prompt: str
    """Content hash of the text."""
    kind: PromptKind
    """one_word, several_words: for the masks of a sentence; pro, anti: for hypotheses of that stance."""
    text: str
    """The text, with placeholders such as {sentences}."""
    seed: int
    """Seed of the sampling."""
    temperature: float
    """The temperature of the sampling."""
    demands: str = ""
    """The phrases for {demands}, in JSON; empty for a prompt without it."""


@dataclass(frozen=True)
class WriterPrompts:
    """The prompts of a file."""

    file: Path
    """The file."""
    texts: dict[PromptKind, str]
    """The prompts that the file has."""
    phrases: MaskPhrases | None
    """The phrases for {demands} in the prompts for words; None if these do not have it."""

    def get(self, kind: PromptKind, seed: int, temperature: float) -> WriterPrompt:
        """Return the prompt of ``kind``; raises StudyError if the file has none."""
        text = self.texts.get(kind)
        if text is None:
            raise StudyError(
                f"the file has no prompt {kind!r}", file=self.file, line=1, remedy=f"add {kind!r} to the file"
            )
        demands = self.phrases.model_dump_json() if self.phrases and _DEMANDS in placeholders_of(text) else ""
        prompt = content_id("writer prompt", text, *filter(None, [demands]))
        return WriterPrompt(prompt, kind, text, seed, temperature, demands)


def writer_prompts_file(written: str, resolve: Callable[[str], Path], study_file: Path) -> Path:
    """Return the file that ``written`` names: builtin:LANGUAGE, or a path that ``resolve`` makes absolute.

    Raises StudyError for a built-in name that does not exist.
    """
    if not written.startswith(_BUILTIN):
        return resolve(written)
    file = _FOLDER / f"{written.removeprefix(_BUILTIN)}.yaml"
    known = sorted(f"{_BUILTIN}{path.stem}" for path in _FOLDER.glob("*.yaml"))
    if written not in known:
        raise StudyError(
            f"fill.writer.prompt: nextset has no prompts {written!r}",
            file=study_file,
            line=line_of(study_file, "fill", "writer", "prompt"),
            remedy=f"use {' or '.join(known)}, or the path of your own file",
        )
    return file


def read_writer_prompts(file: Path) -> WriterPrompts:
    """Return the prompts in ``file``; raises StudyError with file, line and remedy."""
    prompts, located = read_model(file, _File, StudyError)
    _check_phrases(prompts, file, located)
    texts: dict[PromptKind, str] = {}
    for kind in get_args(PromptKind):
        text = getattr(prompts, kind)
        if kind in prompts.model_fields_set:
            of_masks = (_DEMANDS,) if prompts.demands and _NEEDED[kind] == _WORDS else ()
            needed = (*_NEEDED[kind], *of_masks)
            allowed = (*needed, *_OPTIONAL[kind])
            check_placeholders(text, needed=needed, allowed=allowed, file=file, line=located.line((kind,)))
            texts[kind] = text
    return WriterPrompts(file, texts, prompts.demands)


def _check_phrases(prompts: _File, file: Path, located: LocatedYaml) -> None:
    """Raise StudyError for {demands} without phrases, and for a phrase without its placeholder."""
    if prompts.demands is None:
        for kind in ("one_word", "several_words"):
            if _DEMANDS in placeholders_of(getattr(prompts, kind)):
                raise StudyError(
                    f"{{{_DEMANDS}}} has no phrases",
                    file=file,
                    line=located.line((kind,)),
                    remedy=f"remove it, or add the section {_DEMANDS} as {_FOLDER / 'en.yaml'} has it",
                )
        return
    for key, name in MaskPhrases.placeholders.items():
        text, line = getattr(prompts.demands, key), located.line((_DEMANDS, key))
        check_placeholders(text, needed=(name,), allowed=(name,), file=file, line=line)
