"""The rule that replaces annotators when the tool is tried out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nextset.records.content_ids import unit_ids
from nextset.records.judgment import Judgment

__all__ = ["RULE", "judge_by_rule"]

RULE = "rule"
"""The judge's name; no pseudonym looks like it."""

_DOUBLED = re.compile(r"\b(\w+)\s+\1\b", re.IGNORECASE)
_SHORTEST_FILL = 3


def judge_by_rule(items: pa.Table) -> list[Judgment]:
    """Judge the units of a table of NLI items by a rule, in the order of their ids.

    This is not a judgment of people and supports no conclusion: the rule sees form, not meaning, and was
    written for English.

    - incoherent: a word is repeated in a row; or the word at the mask is also elsewhere in the
      hypothesis too, or has fewer than three letters.
    - invalid: the same hypothesis was made as pro and as anti, so it does not say which group it means.
    - valid, with its stance by design: all others.
    """
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for unit_id, row in zip(unit_ids(items), items.to_pylist(), strict=True):
        if row["stance_design"] != "test":
            found[unit_id].append(row)
    return [_judge(unit_id, found[unit_id]) for unit_id in sorted(found)]


def _judge(unit_id: str, rows: Sequence[Mapping[str, Any]]) -> Judgment:
    stances = {row["stance_design"] for row in rows}
    if any(_incoherent(row) for row in rows):
        return _judgment(unit_id, "incoherent", None)
    if len(stances) > 1:
        return _judgment(unit_id, "invalid", None)
    return _judgment(unit_id, "valid", stances.pop())


def _judgment(unit_id: str, verdict: Any, stance: Any) -> Judgment:
    return Judgment(unit_id=unit_id, verdict=verdict, stance_judged=stance, judge=RULE, annotation=None)


def _incoherent(row: Mapping[str, Any]) -> bool:
    text = row["hypothesis"]
    words = [w.lower() for w in re.findall(r"\w+", text)]
    fills = row["bindings"]["fills"] if row["bindings"] else []
    return bool(_DOUBLED.search(text)) or any(_out_of_place(f["word"].lower(), words) for f in fills)


def _out_of_place(fill: str, words: Sequence[str]) -> bool:
    return sum(c.isalpha() for c in fill) < _SHORTEST_FILL or words.count(fill) > 1
