"""The pattern of each item's hypothesis: its text with placeholders instead of groups, words and fills.

A hypothesis is used after several premises and with several groups and fills. Answers to these items are
alike, so they form one cluster for intervals, although each premise makes a separate template.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["BLOCKS", "PATTERN_COLUMNS", "hypothesis_patterns", "template_patterns"]

PATTERN_COLUMNS = ("template_id", "hypothesis", "bindings", "premise")
"""The columns of NLI items that patterns are computed from."""
BLOCKS = 1000
"""The number of random blocks that items without a template are grouped into, by their premise."""
LOOKED_AT = 25
"""The number of a template's items that are compared."""
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)[^}]*\}\}")
_ARTICLE = re.compile(r"\ban\b", re.IGNORECASE)


def hypothesis_patterns(items: pa.Table, known: dict[str, str] | None = None) -> pa.Array:
    """Return the pattern of each row of ``items``, such as "{group} are better at {word} than {group}.".

    All items of a template have the same pattern: the most frequent one among the first `LOOKED_AT` by text,
    since a fill can repeat a word of its sentence. ``known`` has the patterns of earlier templates, and the
    new ones are added to it. Items without a template get the block of their premise. Missing columns of
    `PATTERN_COLUMNS` count as null.
    """
    if "template_id" not in items.column_names:
        return _premise_blocks(items, np.arange(items.num_rows))
    coded = pc.cast(items["template_id"], pa.string()).combine_chunks().dictionary_encode()
    known = {} if known is None else known
    names = coded.dictionary.to_pylist()
    new = pc.is_in(coded, value_set=pa.array([n for n in names if n not in known], pa.string()))
    known |= _patterns(items.filter(new))
    patterns = pa.array([known[name] for name in names], pa.string()).take(coded.indices)
    if not patterns.null_count:
        return patterns
    missing = np.flatnonzero(np.asarray(patterns.is_null()))
    return pc.replace_with_mask(patterns, patterns.is_null(), _premise_blocks(items, missing))


def template_patterns(templates: pa.Table) -> dict[str, str]:
    """Return the pattern of each template from its text; ``templates`` has template_id and hypothesis."""
    columns = (templates[name].to_pylist() for name in ("template_id", "hypothesis"))
    return {
        template: _ARTICLE.sub("a", _PLACEHOLDER.sub(_named, text))
        for template, text in zip(*columns, strict=True)
    }


def _named(placeholder: re.Match[str]) -> str:
    return "{group}" if placeholder[1] in ("GROUP1", "GROUP2") else "{word}"


def _patterns(items: pa.Table) -> dict[str, str]:
    """Return the pattern of each template of ``items``."""
    columns = [n for n in ("template_id", "hypothesis", "bindings") if n in items.column_names]
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for batch in items.select(columns).to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            of_template = rows.setdefault(row["template_id"], [])
            of_template.append(row)
            if len(of_template) > 4 * LOOKED_AT:
                rows[row["template_id"]] = _first(of_template)
    patterns = {}
    for template, of_template in rows.items():
        counts = Counter(_pattern(row) for row in _first(of_template))
        patterns[template] = min(counts, key=lambda pattern: (-counts[pattern], pattern))
    return patterns


def _first(rows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: row.get("hypothesis") or "")[:LOOKED_AT]


def _pattern(row: Mapping[str, Any]) -> str:
    text, bindings = row.get("hypothesis"), row.get("bindings")
    if text is None or bindings is None:
        return str(row["template_id"])
    names = {bindings["group1"]: "group", bindings["group2"]: "group"}
    names |= {word["value"]: "word" for word in bindings["words"]}
    names |= {fill["word"]: "word" for fill in bindings["fills"]}
    values = {value.casefold(): name for value, name in names.items() if value}
    if not values:
        return _ARTICLE.sub("a", text)
    longest = sorted(values, key=lambda value: (-len(value), value))
    wanted = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
    return _ARTICLE.sub("a", wanted.sub(lambda m: f"{{{values.get(m[0].casefold(), 'word')}}}", text))


def _premise_blocks(items: pa.Table, rows: np.ndarray[Any, np.dtype[np.intp]]) -> pa.Array:
    premises: list[str | None] = [None] * len(rows)
    if "premise" in items.column_names:
        premises = items["premise"].take(pa.array(rows)).to_pylist()
    return pa.array([f"premises {zlib.crc32((p or '').encode()) % BLOCKS}" for p in premises], pa.string())
