"""The best words for all masks of a sentence: a beam over the masks, and over the tokens of each word."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nextset.scoring.masks.fill_ties import CLOSE, cut_is_close, order_is_close
from nextset.scoring.masks.logits import Group, MaskLogits
from nextset.scoring.masks.masked_text import Tokens
from nextset.scoring.masks.top_k import top
from nextset.scoring.masks.whole_words import Pieces, Place, WholeWords
from nextset.scoring.masks.whole_words import Tokens as Some
from nextset.scoring.masks.word_pattern import MASK, words_in

if TYPE_CHECKING:
    import torch

__all__ = ["WIDTH", "Beam", "FillList", "State"]

WIDTH = 20
"""The width of the beams: the beginnings that are continued, of a sentence's words and of a word's tokens.

It does not depend on the number of fills requested, so that a shorter list is the beginning of a longer one.
"""
FIRST_LOOK = 64
"""The number of tokens that are first tried as whole words; if too few match, more are tried."""


@dataclass(frozen=True, slots=True)
class State:
    """The words for the first masks of a sentence, or of several sentences that are filled together."""

    sentences: tuple[Tokens, ...]
    """The sentences with the words in place; empty if every mask has a word."""
    words: tuple[str, ...] = ()
    """The words for the masks, from left to right."""
    logs: tuple[float, ...] = ()
    """The log probability of each word; the mean over the sentences."""
    close: float = 0.0
    """The possible change of the sum of ``logs`` in a batch with other sentences (`fill_ties`)."""

    @property
    def at_last_mask(self) -> bool:
        """True if only one mask is left."""
        return len(self.sentences[0].masks) == 1

    @property
    def log(self) -> float:
        """The sum of ``logs``."""
        return sum(self.logs)


@dataclass(frozen=True, slots=True)
class FillList:
    """The best fillings of a prompt."""

    states: list[State]
    """The fillings, the best first."""
    close: bool
    """True if the list or its order could differ in a batch with other sentences (`fill_ties`)."""


class _Word(NamedTuple):  # a sentence has 64 of them, and a dataclass takes five times as long to make
    text: str
    pieces: Pieces
    log: float
    close: float


@dataclass(frozen=True, slots=True)
class _Start:
    """The first tokens of a word of ``length`` tokens for the next mask of a state."""

    state: int
    length: int
    pieces: Pieces = ()
    log: float = 0.0
    close: float = 0.0

    def group(self, state: State) -> Group:
        return tuple(t.asking(self.pieces, self.length) for t in state.sentences)


@dataclass(frozen=True)
class Beam:
    """A beam search for the words of masks."""

    logits: MaskLogits
    """The model."""
    judge: WholeWords
    """The check for whole words."""
    pieces: int
    """The maximum number of tokens of a word."""

    def fill(self, prompts: Sequence[Sequence[Tokens]], top_k: int) -> list[FillList]:
        """Return the ``top_k`` best fillings of each prompt, the best first, by the sum of log probabilities.

        Masks are filled from left to right: earlier masks are already filled, later masks are still masks.
        All sentences of a prompt get the same words.
        """
        beams = [[State(tuple(prompt))] for prompt in prompts]
        close: set[int] = set()
        while True:
            open_ = [i for i, states in enumerate(beams) if states and states[0].sentences]
            if not open_:
                return [FillList(states, i in close) for i, states in enumerate(beams)]
            # the last mask needs as many words as fillings were requested
            wanted = [top_k if beams[i][0].at_last_mask else WIDTH for i in open_]
            flat = [(i, state, k) for i, k in zip(open_, wanted, strict=True) for state in beams[i]]
            doubtful: set[int] = set()
            words = self._words([state for _, state, _ in flat], [k for _, _, k in flat], doubtful)
            close |= {flat[n][0] for n in doubtful}
            longer: dict[int, list[State]] = {i: [] for i in open_}
            for (i, state, _), continuations in zip(flat, words, strict=True):
                longer[i] += [_with(state, word) for word in continuations]
            for i, k in zip(open_, wanted, strict=True):
                ranked = sorted(longer[i], key=lambda s: (-s.log, s.words))
                last = beams[i][0].at_last_mask
                if order_is_close(ranked, k) if last else cut_is_close(ranked, k):
                    close.add(i)
                beams[i] = ranked[:k]

    def _words(self, states: Sequence[State], wanted: Sequence[int], doubtful: set[int]) -> list[list[_Word]]:
        """Return the best words for the next mask of each state, of every length, each once.

        There is one word more than wanted, for the comparison with the last word. States whose words could
        differ in a batch with other sentences are added to ``doubtful``.
        """
        by_state: list[list[_Word]] = [[] for _ in states]
        for length in range(1, self.pieces + 1):
            starts = [_Start(i, length) for i in range(len(states))]
            for _ in range(length - 1):
                starts = self._longer(states, starts, doubtful)
            for start, words in zip(starts, self._ended(states, starts, wanted, doubtful), strict=True):
                by_state[start.state] += words
        spellings = list(map(_by_spelling, by_state))
        doubtful.update(i for i, words in enumerate(spellings) if _case_is_close(words))
        return [[w for w, *_ in words[: k + 1]] for words, k in zip(spellings, wanted, strict=True)]

    def _longer(self, states: Sequence[State], starts: Sequence[_Start], doubtful: set[int]) -> list[_Start]:
        """Return the starts with one more token, the `WIDTH` best of each state."""
        allowed = [
            self.judge.continuing if s.pieces else self.judge.beginning(self._places(states[s.state])[0])
            for s in starts
        ]
        made: dict[int, list[_Start]] = defaultdict(list)

        def take(i: int, row: _Row) -> None:
            start = starts[i]
            close = start.close + row.close
            for token, log in row.best(WIDTH + 1, allowed[i]):
                made[start.state].append(
                    _Start(start.state, start.length, (*start.pieces, token), start.log + log, close)
                )

        self._ask(states, starts, take)
        ranked = {n: sorted(candidates, key=lambda s: (-s.log, s.pieces)) for n, candidates in made.items()}
        doubtful.update(n for n, candidates in ranked.items() if cut_is_close(candidates, WIDTH))
        return sorted(
            (s for candidates in ranked.values() for s in candidates[:WIDTH]), key=lambda s: s.state
        )

    def _ended(
        self, states: Sequence[State], starts: Sequence[_Start], wanted: Sequence[int], doubtful: set[int]
    ) -> list[list[_Word]]:
        """Return for each start the best whole words that it becomes with one more token."""
        ended: list[list[_Word]] = [[] for _ in starts]

        def take(i: int, row: _Row) -> None:
            start = starts[i]
            state, k = states[start.state], wanted[start.state]
            places = self._places(state)
            taken = set().union(*(words_in(t.text) for t in state.sentences))
            # for a word of several tokens only the first look, because the rest is improbable
            look = FIRST_LOOK if start.pieces else max(FIRST_LOOK, 2 * k)
            while True:
                ranked = row.best(look, self.judge.continuing if start.pieces else None)
                words = self._whole(places, [(*start.pieces, token) for token, _ in ranked])
                new = [
                    _Word(word, (*start.pieces, token), start.log + log, start.close + row.close)
                    for (token, log), word in zip(ranked, words, strict=True)
                    if word and word.casefold() not in taken
                ]
                spellings = _by_spelling(new)
                if _case_is_close(spellings):
                    doubtful.add(start.state)
                ended[i] = [word for variants in spellings[: k + 1] for word in variants]
                if len(spellings) > k or look >= row.size:
                    return
                if start.pieces:
                    if row.ends_close(look, self.judge.continuing):
                        doubtful.add(start.state)
                    return
                look *= 4

        self._ask(states, starts, take)
        return ended

    def _places(self, state: State) -> list[Place]:
        """Return the places of the next word, each once."""
        at = ((t.text, t.text.index(MASK)) for t in state.sentences)
        return list(dict.fromkeys(self.judge.place(text, i, i + len(MASK)) for text, i in at))

    def _whole(self, places: Iterable[Place], candidates: list[Pieces]) -> list[str]:
        """Return the words, with an empty string for those that are not whole at every place."""
        words = self.judge.words(candidates)
        for place in places:
            whole = self.judge.whole(place, candidates)
            words = [w if ok else "" for w, ok in zip(words, whole, strict=True)]
        return words

    def _ask(
        self, states: Sequence[State], starts: Sequence[_Start], take: Callable[[int, _Row], None]
    ) -> None:
        """Ask the model about each start, and call ``take`` with its index and the answer."""
        asking: dict[Group, list[int]] = defaultdict(list)
        for i, start in enumerate(starts):
            asking[start.group(states[start.state])].append(i)
        for scored in self.logits.scored(list(asking)):
            first = _with_logs(scored.logits, scored.norms, top(scored.logits, FIRST_LOOK))
            # amax and amin take a tenth of the time of aminmax
            close = (CLOSE * scored.logits.amax(dim=1).maximum(-scored.logits.amin(dim=1))).tolist()
            for n, group in enumerate(scored.groups):
                row = _Row(scored.logits[n], scored.norms[n : n + 1], close[n], first[n])
                for i in asking[group]:
                    take(i, row)


@dataclass(frozen=True)
class _Row:
    """The model's answer to one group."""

    logits: torch.Tensor
    norm: torch.Tensor
    """The number to subtract from a logit, shape (1,)."""
    close: float
    """The possible change of the difference of two log probabilities in a different batch."""
    first: list[tuple[int, float]]
    """The most probable tokens, `FIRST_LOOK` of them, with their log probabilities."""

    @property
    def size(self) -> int:
        return len(self.logits)

    def best(self, k: int, allowed: Some | None = None) -> list[tuple[int, float]]:
        """Return the ``k`` most probable tokens that are allowed, with their log probabilities."""
        import torch

        if allowed is not None:
            allowed_logits = self.logits.new_full((self.size,), -math.inf)
            within = torch.from_numpy(allowed[: self.size].nonzero()[0])
            allowed_logits[within] = self.logits[within]
            return self._with_logs(top(allowed_logits[None], k))
        return self.first[:k] if k <= FIRST_LOOK else self._with_logs(top(self.logits[None], k))

    def _with_logs(self, tokens: list[list[int]]) -> list[tuple[int, float]]:
        return _with_logs(self.logits[None], self.norm, tokens)[0]

    def ends_close(self, k: int, allowed: Some) -> bool:
        """Return True if the last of the ``k`` best tokens and the next one nearly tie."""
        logs = [log for _, log in self.best(k + 1, allowed)[k - 1 :]]
        return len(logs) == 2 and logs[0] - logs[1] <= self.close


def _with_logs(
    logits: torch.Tensor, norms: torch.Tensor, tokens: Sequence[Sequence[int]]
) -> list[list[tuple[int, float]]]:
    """Return the tokens of each row of ``logits`` with their log probabilities, all rows at once."""
    rows = [row for row, some in enumerate(tokens) for _ in some]
    columns = [token for some in tokens for token in some]
    logs = iter((logits[rows, columns].double() - norms[rows].double()).tolist())
    return [[(token, next(logs)) for token in some] for some in tokens]


def _with(state: State, word: _Word) -> State:
    sentences = () if state.at_last_mask else state.sentences
    filled = tuple(t.filled(word.text, word.pieces) for t in sentences)
    return State(filled, (*state.words, word.text), (*state.logs, word.log), state.close + word.close)


def _by_spelling(words: Iterable[_Word]) -> list[list[_Word]]:
    """Return the words that differ only in their case or their tokens together, each time the best first."""
    alike: dict[str, list[_Word]] = {}
    for word in sorted(words, key=lambda w: (-w.log, w.pieces)):
        alike.setdefault(word.text.casefold(), []).append(word)
    return list(alike.values())


def _case_is_close(spellings: Iterable[Sequence[_Word]]) -> bool:
    """Return True if a word nearly ties with itself in a different case or with different tokens."""
    return any(order_is_close(variants, 1) for variants in spellings if len(variants) > 1)
