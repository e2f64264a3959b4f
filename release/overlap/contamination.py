"""Contamination: the share of a dataset version in datasets and corpora that models may have seen.

The measure is containment, not Jaccard similarity, because documents are long and items are short. A row of
the source is cut into passages of up to 32,768 characters that overlap by about 8,000. An item counts as
found if both of its texts, such as premise and hypothesis, are in the same passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nextset.artifacts.progress_callback import SILENT, Progress
from nextset.errors import InputError
from nextset.release.overlap.containment_index import Hits, search
from nextset.release.overlap.corpus_files import SUFFIXES, file_digest, file_texts
from nextset.release.overlap.hub_corpus import hub_name, hub_revision, hub_texts
from nextset.release.overlap.input_index import InputIndex, index_inputs
from nextset.release.overlap.overlap_records import ContaminationRow
from nextset.release.overlap.row_batches import Batches, ids_of
from nextset.release.overlap.text_words import words
from nextset.release.overlap.word_ngrams import WordHashes, word_rows
from nextset.release.source_rows import Kind

__all__ = ["find_contamination"]

_PASSAGE = 1 << 15
_OVERLAP = 1 << 13
_NEARBY = 1 << 8
_AT_ONCE = 1 << 19
"""Characters of the passages that are searched at once."""
_EXAMPLES = 5
_PAIRS = 1 << 20


def find_contamination(
    kind: Kind,
    batches: Batches,
    against: Sequence[str],
    place: Callable[[str], Path],
    near: float,
    canary: str,
    progress: Progress = SILENT,
    *,
    scratch: Path | None = None,
) -> list[ContaminationRow]:
    """Return for each source in ``against`` the number of the version's rows that it contains.

    A source is a file (CSV, JSONL, Parquet, text; ``place`` gives its path) or a dataset on the Hub (ORG/NAME
    or ORG/NAME@REVISION), which is read as a stream in all its configs and splits. All strings of a row are
    compared, except strings in Parquet's binary columns. Raises InputError with file and line if a source is
    missing or damaged, and ServerError if the Hub does not answer: a source counts in full or not at all. A
    temporary file, with 8 bytes per n-gram of the version, is made in ``scratch``, by default in the system's
    temporary folder.
    """
    if not against:
        return []
    tick = progress("release against")
    sources = [_source(written, place(written)) for written in against]
    _refuse_same_names(against, sources)
    index = index_inputs(kind, batches, near, scratch)
    rows = []
    for i, source in enumerate(sources):
        tick(i, len(sources))
        rows.append(_contamination(index, source, batches, canary))
    tick(len(sources), len(sources))
    return rows


@dataclass(frozen=True, slots=True)
class _Source:
    """A file or a dataset on the Hub."""

    name: str
    revision: str
    texts: Callable[[], Iterator[str]]


def _source(written: str, path: Path) -> _Source:
    """Return the source. Raises InputError if there is no such file and the name cannot be a Hub id."""
    named = hub_name(written)
    if (
        path.exists()
        or named is None
        or any(f"{s}{gz}" in written[-11:] for s in SUFFIXES for gz in ("", ".gz"))
    ):
        digest = file_digest(path)
        return _Source(path.name, digest, lambda: file_texts(path))
    commit = hub_revision(*named)
    return _Source(written, commit, lambda: hub_texts(named[0], commit))


def _refuse_same_names(against: Sequence[str], sources: Sequence[_Source]) -> None:
    """Raise InputError if two sources would be published under the same name, because paths are omitted."""
    first: dict[str, str] = {}
    for written, source in zip(against, sources, strict=True):
        other = first.setdefault(source.name, written)
        if other != written:
            raise InputError(
                f"{other} and {written} in release.overlap.against would both be published as {source.name}",
                remedy="rename or remove one of the two files",
            )


class _Tally:
    """The n-grams and inputs that were found in a source so far."""

    def __init__(self, index: InputIndex) -> None:
        self.index = index
        self.ngrams = np.zeros(len(index.texts.ngrams), bool)
        self.near = np.zeros(len(index.pairs), bool)
        self.exact = np.zeros(len(index.pairs), bool)

    def add(self, hits: Hits) -> None:
        """Add the hits in a few passages."""
        self.ngrams[hits.ngrams] = True
        order = np.argsort(hits.passage, kind="stable")
        passage, text, whole = hits.passage[order], hits.text[order], hits.whole[order]
        low = np.searchsorted(passage, passage)
        high = np.searchsorted(passage, passage, side="right")
        start = 0
        while start < len(text):  # each text with all texts of its passage, about a million pairs at a time
            ends = np.cumsum(high[start:] - low[start:])
            stop = start + max(1, int(np.searchsorted(ends, _PAIRS, side="right")))
            counts = high[start:stop] - low[start:stop]
            first = np.repeat(np.arange(start, stop), counts)
            second = np.arange(len(first)) + np.repeat(low[start:stop] - (np.cumsum(counts) - counts), counts)
            self._pairs(text[first], text[second], whole[first] & whole[second])
            start = stop

    def _pairs(self, first: NDArray[np.int64], second: NDArray[np.int64], whole: NDArray[np.bool_]) -> None:
        keys = (first << 32) | second
        places = np.minimum(np.searchsorted(self.index.pairs, keys), len(self.index.pairs) - 1)
        hit = self.index.pairs[places] == keys
        self.near[places[hit]] = True
        self.exact[places[hit & whole]] = True


def _contamination(index: InputIndex, source: _Source, batches: Batches, canary: str) -> ContaminationRow:
    tally = _Tally(index)
    hashes = WordHashes()
    rows, canary_found = 0, False

    def counted(texts: Iterable[str]) -> Iterator[str]:
        nonlocal rows
        for text in texts:
            rows += 1
            yield text

    for passages in _together(counted(source.texts())):
        canary_found = canary_found or any(canary.lower() in passage.lower() for passage in passages)
        tally.add(search(index.texts, word_rows([hashes[w] for w in words(p)] for p in passages)))
    near = np.asarray(tally.near[index.of_row].any(axis=1))
    share = _shares(index, tally.ngrams)
    n = len(near)
    ids = ids_of(batches(), np.flatnonzero(near)).to_pylist() if near.any() else []
    return ContaminationRow(
        source=source.name,
        revision=source.revision,
        rows=rows,
        items=n,
        exact=int(tally.exact[index.of_row].any(axis=1).sum()),
        near=int(near.sum()),
        overlap=int((share > 0).sum()),
        share=float(near.sum() / n) if n else 0.0,
        overlap_share=float(share.mean()) if n else 0.0,
        examples=tuple(sorted(ids)[:_EXAMPLES]),
        canary_found=canary_found,
    )


def _shares(index: InputIndex, ngrams: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return for each row the share of its inputs' n-grams that were found anywhere."""
    texts = index.texts
    there = np.zeros(len(texts.members) + 1, np.int32)
    np.cumsum(ngrams[texts.members], out=there[1:])
    sizes = texts.sizes
    counts = there[texts.starts + sizes] - there[texts.starts]
    first, second = index.pairs >> 32, index.pairs & 0xFFFFFFFF
    whole = (sizes[first] + sizes[second])[index.of_row].sum(axis=1)
    part = (counts[first] + counts[second])[index.of_row].sum(axis=1)
    return np.asarray(part / np.maximum(whole, 1))


def _together(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the passages of ``texts``, several at a time."""
    passages, size = list[str](), 0
    for text in texts:
        for passage in _passages(text):
            passages.append(passage)
            size += len(passage)
            if size >= _AT_ONCE:
                yield passages
                passages, size = [], 0
    if passages:
        yield passages


def _passages(text: str) -> Iterator[str]:
    """Yield overlapping parts of a long text, cut at a nearby space if there is one."""
    start = 0
    while len(text) - start > _PASSAGE:
        end = start + _PASSAGE
        cut = text.rfind(" ", end - _NEARBY, end)
        yield text[start : cut if cut > 0 else end]
        start = end - _OVERLAP
        space = text.find(" ", start, start + _NEARBY)
        start = space + 1 if space >= 0 else start
    yield text[start:]
