"""The changes of a measure without a word, averaged over the rows of a template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from nextset.extensions.interventions.occlusion.occlusion_records import OcclusionRow, TemplateOcclusionRow
from nextset.text_tokens import all_pieces

__all__ = ["DIFFERS", "common_text", "template_averages"]

DIFFERS = "…"
"""The text in place of parts that differ between rows."""
_TEXT = ("form", "model", "role", "language", "subject_class", "template_id", "intervention", "kind", "part")
"""The columns that are the same in all rows of one text of a template."""


def template_averages(rows: Iterable[OcclusionRow]) -> list[TemplateOcclusionRow]:
    """Return the means of ``rows`` by template, intervention and place, in the order of their first rows.

    Texts with different numbers of words are averaged separately, since the places of their words differ.
    """
    groups: dict[tuple[str, ...], dict[tuple[int, int], list[OcclusionRow]]] = {}
    for row in rows:
        text = groups.setdefault(tuple(getattr(row, name) for name in _TEXT), {})
        text.setdefault((row.units, row.place), []).append(row)
    order = {text[:-1]: place for place, text in reversed(list(enumerate(groups)))}
    texts = sorted(groups, key=lambda text: order[text[:-1]])
    return [_average(groups[text][place]) for text in texts for place in sorted(groups[text])]


def common_text(texts: Sequence[str]) -> str:
    """Return the text if all of ``texts`` are the same, else their common beginning and end with … between
    them.

    Only whole words are common.
    """
    if len(set(texts)) == 1:
        return texts[0]
    pieces = [all_pieces(text) for text in texts]
    begin = _alike(pieces, lambda own, i: own[i], min(map(len, pieces)))
    end = _alike(pieces, lambda own, i: own[-1 - i], min(map(len, pieces)) - begin)
    first = pieces[0]
    return "".join([*first[:begin], DIFFERS, *first[len(first) - end :]])


def _alike(pieces: Sequence[Sequence[str]], at: Callable[[Sequence[str], int], str], most: int) -> int:
    """Return how many of the first ``most`` pieces, in the order of ``at``, all texts share."""
    return next((i for i in range(most) if len({at(own, i) for own in pieces}) > 1), most)


def _average(rows: Sequence[OcclusionRow]) -> TemplateOcclusionRow:
    first = rows[0]
    return TemplateOcclusionRow(
        **{name: getattr(first, name) for name in _TEXT},
        units=first.units,
        place=first.place,
        text=first.text if len({row.text for row in rows}) == 1 else DIFFERS,
        before=common_text([row.before for row in rows]),
        after=common_text([row.after for row in rows]),
        mean_size=fmean(abs(row.value) for row in rows),
        change=fmean(row.change for row in rows),
        change_of_size=fmean(row.change_of_size for row in rows),
        n=len(rows),
    )
