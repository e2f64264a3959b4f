"""A masked language model as a filler: whole words for masks, and the probability of given words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nextset.errors import ModelError
from nextset.scoring.masks.beam import Beam, State
from nextset.scoring.masks.fill_ties import CLOSE, LARGEST, nearly_tied
from nextset.scoring.masks.logits import Group, MaskLogits, Query
from nextset.scoring.masks.masked_text import Masked, Prompt, Tokens, tokens_of
from nextset.scoring.masks.pseudo_likelihood import PseudoLogLikelihood, of_sentences, of_targets
from nextset.scoring.masks.top_k import top
from nextset.scoring.masks.whole_words import WholeWords
from nextset.scoring.masks.word_pattern import MASK
from nextset.scoring.models.loading import Loaded, load
from nextset.scoring.models.sources import ModelSource

__all__ = ["Filling", "MaskFiller", "check_mask_token"]

Words = dict[str, list[list[tuple[Query, int]]]]
"""What is asked for each word in each sentence of a prompt: a query for each of its tokens."""


@dataclass(frozen=True, slots=True)
class Filling:
    """Words for all masks of a sentence."""

    words: tuple[str, ...]
    """A whole word a mask, from left to right."""
    scores: tuple[float, ...]
    """The probability of each word at its mask, in [0, 1], the words before it in place."""


@dataclass(frozen=True)
class MaskFiller:
    """A loaded masked language model."""

    loaded: Loaded
    """Model, tokenizer and device."""
    logits: MaskLogits
    """Asks it."""
    judge: WholeWords
    """Judges what its tokenizer reads as a whole word."""

    @classmethod
    def load(cls, source: ModelSource) -> MaskFiller:
        """Load a masked language model; raises ModelError."""
        loaded = load(source, "AutoModelForMaskedLM")
        check_mask_token(loaded)
        return cls(loaded, MaskLogits.of(loaded), WholeWords(loaded.tokenizer))

    def fill(self, prompts: Sequence[Prompt], top_k: int, pieces: int = 1) -> list[list[Filling]]:
        """The ``top_k`` best fillings of each prompt, the best first; equal prompts are asked once.

        A word has up to ``pieces`` tokens. It is kept when the tokenizer itself reads it at its place as
        exactly these tokens and as one whole word, when it is made of letters (hyphens and apostrophes
        inside), and when it is not in the sentence already. A word of several tokens has the joint
        probability of its tokens under as many masks, within-word left to right (Kauf and Ivanova 2023);
        if a prompt has several sentences, it is the geometric mean over them. Several masks are filled from
        left to right by a beam, and fillings are ranked by the product of their scores. A prompt with words
        of its own gets these, ranked by the same scores, whatever ``pieces`` is; a word with an unknown token
        is left out. A prompt whose list has near ties is asked again alone, so that no list depends on the
        other prompts. Raises ModelError as `tokens_of` does.
        """
        found = dict(self._listed([p for p in dict.fromkeys(prompts) if p.words], top_k))
        unique = [p for p in dict.fromkeys(prompts) if not p.words]
        for prompt in unique:
            if len({m.sentence.count(MASK) for m in prompt.sentences}) != 1:
                raise ModelError(
                    f"the sentences of a prompt have different numbers of masks: {prompt.sentences[:2]!r}",
                    remedy="fill sentences together only if all have the same number of masks",
                )
        tokens = tokens_of(self.loaded, (s for p in unique for s in p.sentences), pieces)
        beam = Beam(self.logits, self.judge, pieces)
        alone = replace(beam, logits=replace(self.logits, alone=True))
        asked = [[tokens[s] for s in p.sentences] for p in unique]
        for prompt, sentences, some in zip(unique, asked, beam.fill(asked, top_k), strict=True):
            states = (alone.fill([sentences], top_k)[0] if some.close else some).states
            found[prompt] = list(map(_filling, states))
        return [found[p] for p in prompts]

    def _listed(self, prompts: Sequence[Prompt], top_k: int) -> Iterator[tuple[Prompt, list[Filling]]]:
        """Each prompt with the best of its own words; one with near ties is asked again alone."""
        for prompt in prompts:
            if any(m.sentence.count(MASK) != 1 for m in prompt.sentences):
                raise ModelError(
                    f"words of a list for several masks or none: {prompt.sentences[0].sentence[:80]!r}",
                    remedy=f"write {MASK} once in a sentence whose mask takes the words of a list",
                )
        read = [[(w, pieces) for w in p.words if (pieces := self._pieces(p, w))] for p in prompts]
        longest = max((len(pieces) for words in read for _, pieces in words), default=1)
        tokens = tokens_of(self.loaded, (s for p in prompts for s in p.sentences), longest)
        asked = [
            {w: [_queries(tokens[s], pieces) for s in p.sentences] for w, pieces in words}
            for p, words in zip(prompts, read, strict=True)
        ]
        bounds = _of_each(self.logits, [{w: [q[:1] for q in e] for w, e in x.items()} for x in asked])
        within = [_within(words, logs, top_k) for words, logs in zip(asked, bounds, strict=True)]
        alone = replace(self.logits, alone=True)
        for p, words, found in zip(prompts, within, _of_each(self.logits, within), strict=True):
            near = nearly_tied(found, {w: len(each[0]) for w, each in words.items()})
            found.update(*_of_each(alone, [{w: words[w] for w in near}]))
            best = sorted(found.items(), key=lambda f: (-f[1], f[0]))
            yield p, [Filling((word,), (math.exp(log),)) for word, log in best[:top_k]]

    def unread(self, prompt: Prompt) -> int:
        """The number of ``prompt``'s own words that `fill` leaves out: those with an unknown token."""
        return sum(not self._pieces(prompt, word) for word in prompt.words)

    def _pieces(self, prompt: Prompt, word: str) -> tuple[int, ...]:
        """The tokens of ``word`` at the mask of ``prompt``; empty if they differ between its sentences."""
        found = set()
        for masked in prompt.sentences:
            at = masked.sentence.index(MASK)
            written = word if at else word[0].upper() + word[1:]
            found.add(self.judge.pieces(self.judge.place(masked.sentence, at, at + len(MASK)), written))
        return found.pop() if len(found) == 1 else ()

    def tokens(self, sentences: Sequence[Masked], top_k: int) -> list[list[int]]:
        """The ``top_k`` most probable tokens, whole words or not, at the first mask of each sentence."""
        read = tokens_of(self.loaded, sentences, 1)
        asked = [(read[s].asking((), 1),) for s in sentences]
        found: dict[Group, list[int]] = {}
        for scored in self.logits.scored(asked):
            found.update(zip(scored.groups, top(scored.logits, top_k), strict=True))
        return [found[group] for group in asked]

    def score(self, sentences: Sequence[Masked], targets: Sequence[str]) -> list[float]:
        """The log probability of each target at the one mask of its sentence, scored whole (`of_targets`)."""
        return of_targets(self.logits, sentences, targets)

    def pseudo_log_likelihood(self, sentences: Sequence[str]) -> list[PseudoLogLikelihood]:
        """How fluent the model finds each sentence (`of_sentences`)."""
        return of_sentences(self.logits, sentences)


def _queries(tokens: Tokens, pieces: tuple[int, ...]) -> list[tuple[Query, int]]:
    """What is asked for the joint probability of ``pieces``: each one after those before it."""
    return [(tokens.asking(pieces[:n], len(pieces)), piece) for n, piece in enumerate(pieces)]


def _of_each(logits: MaskLogits, prompts: Sequence[Words]) -> list[dict[str, float]]:
    """The log probability of each prompt's words: the mean over the sentences of the sum over the tokens."""
    flat = [q for words in prompts for each in words.values() for some in each for q in some]
    logs = iter(logits.log_probabilities(flat))
    return [
        {w: sum(sum(next(logs) for _ in some) for some in each) / len(each) for w, each in words.items()}
        for words in prompts
    ]


def _within(words: Words, bounds: Mapping[str, float], k: int) -> Words:
    """The words that can be among the ``k`` best: none is more probable than its first token alone."""
    whole = sorted((bounds[w] for w, each in words.items() if len(each[0]) == 1), reverse=True)
    if len(whole) <= k:
        return words
    least = whole[k] - CLOSE * LARGEST
    return {w: each for w, each in words.items() if bounds[w] >= least}


def _filling(state: State) -> Filling:
    return Filling(state.words, tuple(map(math.exp, state.logs)))


def check_mask_token(loaded: Loaded) -> None:
    """Raise ModelError if the tokenizer has no mask token that the model knows."""
    tokenizer = loaded.tokenizer
    rows = loaded.model.get_input_embeddings().num_embeddings
    wrong = None
    if tokenizer.mask_token is None:
        wrong = "has no mask token"
    elif tokenizer.mask_token_id is None or tokenizer.mask_token_id == tokenizer.unk_token_id:
        wrong = f"has a mask token, {tokenizer.mask_token!r}, that is not in its vocabulary"
    elif tokenizer.mask_token_id >= rows:
        wrong = f"has a mask token with id {tokenizer.mask_token_id}, but only {rows} embeddings"
    if wrong:
        raise ModelError(f"{loaded.name} {wrong}", remedy="choose a masked language model with its tokenizer")
