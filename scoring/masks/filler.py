"""A masked language model as a filler: whole words for masks, and the probability of given words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nextset.errors import ModelError
from nextset.letter_case import capitalised
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
"""The queries for each word in each sentence of a prompt: one query per token of the word."""


@dataclass(frozen=True, slots=True)
class Filling:
    """Words for all masks of a sentence."""

    words: tuple[str, ...]
    """One whole word per mask, from left to right."""
    scores: tuple[float, ...]
    """The probability of each word at its mask, in [0, 1], with the words before it in place."""


@dataclass(frozen=True)
class MaskFiller:
    """A loaded masked language model."""

    loaded: Loaded
    """Model, tokenizer and device."""
    logits: MaskLogits
    """The logits of the model at masks."""
    judge: WholeWords
    """The check for whole words, by the model's tokenizer."""

    @classmethod
    def load(cls, source: ModelSource) -> MaskFiller:
        """Load a masked language model; raises ModelError."""
        loaded = load(source, "AutoModelForMaskedLM")
        check_mask_token(loaded)
        return cls(loaded, MaskLogits.of(loaded), WholeWords(loaded.tokenizer))

    def fill(self, prompts: Sequence[Prompt], top_k: int, pieces: int = 1) -> list[list[Filling]]:
        """Return the ``top_k`` best fillings of each prompt, the best first; equal prompts are asked once.

        A word has up to ``pieces`` tokens. It is accepted if the tokenizer reads it at its place as exactly
        these tokens and as one whole word, if it is made of letters (with hyphens and apostrophes inside),
        and if it is not in the sentence already.

        The score of a word of several tokens is the joint probability of its tokens, one mask per token,
        within-word left to right (Kauf and Ivanova 2023). If a prompt has several sentences, the score is the
        geometric mean over them. Several masks are filled from left to right by a beam, and fillings are
        ranked by the product of their scores.

        A prompt with its own words gets only these words, ranked by the same scores, regardless of
        ``pieces``; a word with an unknown token is omitted. A prompt whose list has near ties is asked again
        by itself, so that no list depends on the other prompts. Raises ModelError like `tokens_of`.
        """
        fillings = dict(self._listed([p for p in dict.fromkeys(prompts) if p.words], top_k))
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
        token_rows = [[tokens[s] for s in p.sentences] for p in unique]
        for prompt, sentences, fills in zip(unique, token_rows, beam.fill(token_rows, top_k), strict=True):
            states = (alone.fill([sentences], top_k)[0] if fills.close else fills).states
            fillings[prompt] = list(map(_filling, states))
        return [fillings[p] for p in prompts]

    def _listed(self, prompts: Sequence[Prompt], top_k: int) -> Iterator[tuple[Prompt, list[Filling]]]:
        """Yield each prompt with the best words from its list; near ties are asked again by themselves.

        Raises ModelError for a sentence that does not have exactly one mask.
        """
        for prompt in prompts:
            if any(m.sentence.count(MASK) != 1 for m in prompt.sentences):
                raise ModelError(
                    "a mask that is filled from a list must be the only mask of its sentence: "
                    f"{prompt.sentences[0].sentence[:80]!r}",
                    remedy=f"write {MASK} exactly once in this sentence",
                )
        read = [[(w, pieces) for w in p.words if (pieces := self._pieces(p, w))] for p in prompts]
        longest = max((len(pieces) for words in read for _, pieces in words), default=1)
        tokens = tokens_of(self.loaded, (s for p in prompts for s in p.sentences), longest)
        word_queries = [
            {w: [_queries(tokens[s], pieces) for s in p.sentences] for w, pieces in words}
            for p, words in zip(prompts, read, strict=True)
        ]
        bounds = _of_each(self.logits, [{w: [q[:1] for q in e] for w, e in x.items()} for x in word_queries])
        within = [_within(words, logs, top_k) for words, logs in zip(word_queries, bounds, strict=True)]
        alone = replace(self.logits, alone=True)
        for p, words, scores in zip(prompts, within, _of_each(self.logits, within), strict=True):
            near = nearly_tied(scores, {w: len(each[0]) for w, each in words.items()})
            scores.update(*_of_each(alone, [{w: words[w] for w in near}]))
            best = sorted(scores.items(), key=lambda f: (-f[1], f[0]))
            yield p, [Filling((word,), (math.exp(log),)) for word, log in best[:top_k]]

    def unread(self, prompt: Prompt) -> int:
        """Return the number of ``prompt``'s own words that `fill` omits because of an unknown token."""
        return sum(not self._pieces(prompt, word) for word in prompt.words)

    def _pieces(self, prompt: Prompt, word: str) -> tuple[int, ...]:
        """Return the tokens of ``word`` at the mask of ``prompt``; empty if they differ between sentences."""
        readings = set()
        for masked in prompt.sentences:
            at = masked.sentence.index(MASK)
            written = word if at else capitalised(word)
            readings.add(self.judge.pieces(self.judge.place(masked.sentence, at, at + len(MASK)), written))
        return readings.pop() if len(readings) == 1 else ()

    def tokens(self, sentences: Sequence[Masked], top_k: int) -> list[list[int]]:
        """Return the ``top_k`` most probable tokens, whole words or not, at each sentence's first mask."""
        read = tokens_of(self.loaded, sentences, 1)
        queries = [(read[s].asking((), 1),) for s in sentences]
        best: dict[Group, list[int]] = {}
        for scored in self.logits.scored(queries):
            best.update(zip(scored.groups, top(scored.logits, top_k), strict=True))
        return [best[group] for group in queries]

    def score(self, sentences: Sequence[Masked], targets: Sequence[str]) -> list[float]:
        """Return the joint log probability of each target at the one mask of its sentence (`of_targets`)."""
        return of_targets(self.logits, sentences, targets)

    def pseudo_log_likelihood(self, sentences: Sequence[str]) -> list[PseudoLogLikelihood]:
        """Return the pseudo-log-likelihood of each sentence (`of_sentences`)."""
        return of_sentences(self.logits, sentences)


def _queries(tokens: Tokens, pieces: tuple[int, ...]) -> list[tuple[Query, int]]:
    """Return the queries for the joint probability of ``pieces``: each piece after those before it."""
    return [(tokens.asking(pieces[:n], len(pieces)), piece) for n, piece in enumerate(pieces)]


def _of_each(logits: MaskLogits, prompts: Sequence[Words]) -> list[dict[str, float]]:
    """Return the log probability of each prompt's words: summed over tokens, then the mean over sentences."""
    flat = [q for words in prompts for each in words.values() for queries in each for q in queries]
    logs = iter(logits.log_probabilities(flat))
    return [
        {
            w: sum(sum(next(logs) for _ in queries) for queries in each) / len(each)
            for w, each in words.items()
        }
        for words in prompts
    ]


def _within(words: Words, bounds: Mapping[str, float], k: int) -> Words:
    """Return the words that can be among the ``k`` best; a word's first token bounds its probability."""
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
        wrong = f"has only {rows} embeddings, but its mask token has the id {tokenizer.mask_token_id}"
    if wrong:
        raise ModelError(f"{loaded.name} {wrong}", remedy="choose a masked language model with its tokenizer")
