"""`nextset probe` of a mask: the words that masked language models find most probable there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.probe.probe_records import ProbableWords, WordAnswer, WordProbe
from nextset.auditing.probe.probed_models import fitting_forms, located_models
from nextset.auditing.probe.typed_texts import checked_text
from nextset.errors import InputError
from nextset.scoring.masks.word_pattern import MASK

if TYPE_CHECKING:
    from nextset.scoring.models.sources import ModelSource

__all__ = ["MOST_WORDS", "probe_words"]

MOST_WORDS = 1000
"""The largest number of words that are shown for a mask."""


def probe_words(
    text: str, *, models: Sequence[str] | str, top: int = 8, progress: Progress = SILENT
) -> WordProbe:
    """Return the ``top`` most probable whole words of masked language models at each {{MASK}} of ``text``.

    Several masks are filled from left to right, as in a study. Probabilities are in [0, 1], in float32.
    Raises InputError for a text that cannot be asked, ModelError for a model that cannot be found, loaded or
    asked.
    """
    checked = checked_text("text", text, (MASK,))
    if MASK not in checked:
        raise InputError(f"the text has no {MASK}", remedy=f"write {MASK} where a word is missing")
    if not 1 <= top <= MOST_WORDS:
        raise InputError(f"{top} words cannot be shown", remedy=f"ask for 1 to {MOST_WORDS} words")
    sources = located_models(models)
    for source in sources:
        fitting_forms(source, ["statement"])
    tick = progress("probe")
    answers = []
    for done, source in enumerate(sources):
        tick(done, len(sources))
        answers.append(WordAnswer(model=source.name, words=_words(source, checked, top)))
    tick(len(sources), len(sources))
    return WordProbe(text=checked, answers=tuple(answers))


def _words(source: ModelSource, text: str, top: int) -> tuple[ProbableWords, ...]:
    from nextset.scoring.masks.filler import MaskFiller
    from nextset.scoring.masks.masked_text import Prompt
    from nextset.scoring.models.sources import check_unchanged

    (fillings,) = MaskFiller.load(source).fill([Prompt.alone(text)], top_k=top)
    check_unchanged(source)
    return tuple(ProbableWords(words=f.words, probabilities=f.scores) for f in fillings)
