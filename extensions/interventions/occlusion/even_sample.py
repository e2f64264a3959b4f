"""A sample of rows with the same number for each class, spread evenly over templates."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import chain, islice, zip_longest

import pyarrow as pa
import pyarrow.compute as pc

from nextset.extensions.interventions.intervened_rows import class_column
from nextset.forms import FORMS, FormName
from nextset.scoring.row_chunks import Readable

__all__ = ["even_sample"]

Cell = tuple[str, str]
"""A language and a class."""
Drawn = tuple[bytes, str]
"""A row's place in the order of the sample, and its id."""


def even_sample(
    rows: Callable[[], Iterator[Readable]], form: FormName, columns: tuple[str, ...], size: int, seed: int
) -> pa.Table:
    """Return the ``columns`` of ``size`` rows of each class (or domain) in each language.

    The templates take turns in an order drawn with ``seed``, and so do the rows of each template. If there
    are fewer rows, all of them are returned. Only NLI items whose right label is neutral count. Rows are read
    twice, and are never all in memory.
    """
    chosen = _chosen(rows, form, size, seed)
    order = {name: place for place, name in enumerate(chosen)}
    tables: list[pa.Table] = []
    for part in rows():
        table = part.read(tuple(dict.fromkeys(("id", *columns))))
        table = table.filter(pc.is_in(table["id"], value_set=pa.array(list(order), pa.string())))
        tables.append(table)
    if not tables:
        return pa.table({name: pa.array([], pa.string()) for name in columns})
    table = pa.concat_tables(tables)
    places: dict[str, int] = {}
    for place, name in enumerate(table["id"].to_pylist()):
        places.setdefault(name, place)
    return table.take([places[name] for name in chosen]).select(list(columns)).combine_chunks()


def _chosen(rows: Callable[[], Iterator[Readable]], form: FormName, size: int, seed: int) -> list[str]:
    """Return the ids of the sample, class by class."""
    names = ("id", "language", class_column(form), "template_id")
    label = () if FORMS[form].quads else ("label",)
    drawn: dict[Cell, dict[str, list[Drawn]]] = {}
    for part in rows():
        table = part.read((*names, *label))
        if label:
            table = table.filter(pc.equal(table["label"], "neutral"))
        for name, language, class_name, template in zip(*(table[n].to_pylist() for n in names), strict=True):
            known = drawn.setdefault((language, class_name), {}).setdefault(template or "", [])
            known.append((_key(seed, name), name))
            if len(known) > 4 * size + 256:  # memory stays constant
                known[:] = heapq.nsmallest(size, set(known))
    return [name for cell in sorted(drawn) for name in _in_turns(drawn[cell], size, seed)]


def _in_turns(templates: dict[str, list[Drawn]], size: int, seed: int) -> list[str]:
    order = sorted(templates, key=lambda template: (_key(seed, template), template))
    own = [[name for _, name in heapq.nsmallest(size, set(templates[t]))] for t in order]
    turns = chain.from_iterable(zip_longest(*own))
    return list(islice((name for name in turns if name is not None), size))


def _key(seed: int, name: str) -> bytes:
    return blake2b(f"{seed} {name}".encode(), digest_size=16).digest()
