"""`nextset probe` of a mask: the words that masked language models find most probable there."""

from __future__ import annotations

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.auditing.probe.probe_records import ProbableWords, WordAnswer, WordProbe
from nextset.auditing.probe.probed_models import ProbedModel, fitting_forms, located_models
from nextset.auditing.probe.typed_texts import checked_text
from nextset.errors import InputError
from nextset.scoring.masks.word_pattern import MASK
from nextset.study.model_key import ModelNames

__all__ = ["MOST_WORDS", "probe_words"]

MOST_WORDS = 1000
"""The largest number of words that are shown for a mask."""


def probe_words(text: str, *, models: ModelNames, top: int = 8, progress: Progress = SILENT) -> WordProbe:
    """Return the ``top`` most probable whole words of masked language models at each {{MASK}} of ``text``.

    Several masks are filled from left to right, as in a study. Probabilities are in [0, 1], in float32.
    Raises InputError for a text, and ModelError for a model, that cannot be asked.
    """
    checked = checked_text("text", text, (MASK,))
    if MASK not in checked:
        raise InputError(f"the text has no {MASK}", remedy=f"write {MASK} where a word is missing")
    if not 1 <= top <= MOST_WORDS:
        raise InputError(f"{top} words cannot be shown", remedy=f"ask for 1 to {MOST_WORDS} words")
    probed = located_models(models)
    for model in probed:
        fitting_forms(model, ["statement"])
    tick = progress("probe")
    answers = []
    for done, model in enumerate(probed):
        tick(done, len(probed))
        answers.append(WordAnswer(model=model.source.name, words=_words(model, checked, top)))
    tick(len(probed), len(probed))
    return WordProbe(text=checked, answers=tuple(answers))


def _words(model: ProbedModel, text: str, top: int) -> tuple[ProbableWords, ...]:
    from nextset.scoring.masks.filler import MaskFiller
    from nextset.scoring.masks.masked_text import Prompt
    from nextset.scoring.models.sources import check_unchanged

    (fillings,) = MaskFiller.load(model.source).fill([Prompt.alone(text)], top_k=top)
    check_unchanged(model.source)
    return tuple(ProbableWords(words=f.words, probabilities=f.scores) for f in fillings)
