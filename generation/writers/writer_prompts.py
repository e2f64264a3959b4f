"""Prompts for models that propose words and hypotheses; `prompts/en.yaml` is nextset's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from nextset.errors import StudyError
from nextset.files.yaml_model import HandWritten, read_model
from nextset.records.content_ids import content_id
from nextset.scoring.generative.prompt_placeholders import PromptText, check_placeholders

__all__ = ["PromptKind", "WriterPrompt", "WriterPrompts", "read_writer_prompts", "writer_prompts_file"]

PromptKind = Literal["one_word", "several_words", "pro", "anti"]
"""What is asked for: a word for a mask, words for several masks, a hypothesis of either stance."""

_BUILTIN = "builtin:"
_FOLDER = Path(__file__).parent / "prompts"
_WORDS = ("number", "sentences")
_HYPOTHESES = ("number", "stereotype", "group1", "group2")
_NEEDED: dict[PromptKind, tuple[str, ...]] = {
    "one_word": _WORDS, "several_words": _WORDS, "pro": _HYPOTHESES, "anti": _HYPOTHESES,
}  # fmt: skip
"""The placeholders that every prompt of a kind has."""
_OPTIONAL: dict[PromptKind, tuple[str, ...]] = {
    "one_word": (), "several_words": (), "pro": ("about", "source"), "anti": ("about", "source"),
}  # fmt: skip
"""Those that it may have in addition."""


class _File(HandWritten):
    """A file of prompts."""

    format: Literal[1]
    one_word: PromptText = ""
    several_words: PromptText = ""
    pro: PromptText = ""
    anti: PromptText = ""


@dataclass(frozen=True)
class WriterPrompt:
    """A prompt as the study declares it, with its placeholders."""

    prompt: str
    """Content hash of the text."""
    kind: PromptKind
    """one_word, several_words: for the masks of a sentence; pro, anti: for hypotheses of that stance."""
    text: str
    """The text; {sentences}, {stereotype} and the like stand for what differs from request to request."""
    seed: int
    """Seed of the sampling."""
    temperature: float
    """How far the model sampled; 0 takes the likeliest token each time."""


@dataclass(frozen=True)
class WriterPrompts:
    """The prompts of a file."""

    file: Path
    """The file."""
    texts: dict[PromptKind, str]
    """Those that it has."""

    def get(self, kind: PromptKind, seed: int, temperature: float) -> WriterPrompt:
        """Return the prompt of ``kind``; raises StudyError if the file has none."""
        text = self.texts.get(kind)
        if text is None:
            raise StudyError(
                f"there is no prompt {kind!r}", file=self.file, line=1, remedy=f"add {kind!r} to the file"
            )
        return WriterPrompt(content_id("writer prompt", text), kind, text, seed, temperature)


def writer_prompts_file(written: str, resolve: Callable[[str], Path], study_file: Path) -> Path:
    """Return the file that ``written`` names: builtin:LANGUAGE, or a path, which ``resolve`` makes absolute.

    Raises StudyError for a built-in name that does not exist.
    """
    if not written.startswith(_BUILTIN):
        return resolve(written)
    file = _FOLDER / f"{written.removeprefix(_BUILTIN)}.yaml"
    known = sorted(f"{_BUILTIN}{path.stem}" for path in _FOLDER.glob("*.yaml"))
    if written not in known:
        raise StudyError(
            f"fill.writer.prompt is {written!r}, which nextset does not have",
            file=study_file,
            remedy=f"use {' or '.join(known)}, or the path of a file of your own",
        )
    return file


def read_writer_prompts(file: Path) -> WriterPrompts:
    """Return the prompts in ``file``; raises StudyError with file, line and remedy."""
    found, located = read_model(file, _File, StudyError)
    texts: dict[PromptKind, str] = {}
    for kind in get_args(PromptKind):
        text = getattr(found, kind)
        if kind in found.model_fields_set:
            needed = _NEEDED[kind]
            allowed = (*needed, *_OPTIONAL[kind])
            check_placeholders(text, needed=needed, allowed=allowed, file=file, line=located.line((kind,)))
            texts[kind] = text
    return WriterPrompts(file, texts)
