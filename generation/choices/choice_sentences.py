"""The masked sentences of choice items: each text of a set that has a mask, once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from nextset.records.arrow_schema import arrow_schema
from nextset.records.content_ids import content_id
from nextset.records.nli_items import Bindings, MaskedItem
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["ChoiceSentences", "ChoiceText", "Row", "TextKind", "by_set"]

TextKind = str
"""ambiguous, disambiguating, negative or non_negative."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class ChoiceText:
    """A text of a choice item: its part of the context, or its question."""

    kind: TextKind
    before: str
    """The blanks before it in the context."""
    text: str
    constraints: tuple[str, ...]
    """The constraint of each of its masks."""


def by_set(masked: pa.Table) -> dict[str, list[Row]]:
    """Return the rows of ``masked``, MaskedChoices, by their set."""
    sets: dict[str, list[Row]] = defaultdict(list)
    for row in masked.to_pylist():
        sets[row["set_id"]].append(row)
    return sets


@dataclass(frozen=True)
class ChoiceSentences:
    """The texts of one set of masked choice items."""

    set_id: str
    rows: Sequence[Row]
    """The items of the set."""

    def texts(self, row: Row) -> list[ChoiceText]:
        """Return the texts of ``row`` in their order: the ambiguous context, what follows, the question."""
        first, rest = self._parts(row)
        parts = [("ambiguous", "", first)]
        if rest:
            after = rest.lstrip()
            parts.append(("disambiguating", rest[: len(rest) - len(after)], after))
        parts.append((row["polarity"], "", row["question"]))
        texts, at = [], 0
        for kind, before, text in parts:
            masks = text.count(MASK)
            texts.append(ChoiceText(kind, before, text, tuple(row["mask_constraints"][at : at + masks])))
            at += masks
        return texts

    def _parts(self, row: Row) -> tuple[str, str]:
        """Return the ambiguous part of the context of ``row``, and what follows."""
        context: str = row["context"]
        if row["condition"] == "ambiguous":
            return context, ""
        beginnings = [
            r["context"]
            for r in self.rows
            if r["condition"] == "ambiguous" and context.startswith(r["context"])
        ]
        first = max(beginnings, key=len, default=context)
        return first, context[len(first) :]

    def sentence_id(self, text: ChoiceText) -> str:
        """Return the id of ``text`` as a masked sentence."""
        return content_id("masked sentence", self.set_id, text.kind, text.text)

    def sentences(self) -> Iterator[dict[str, Any]]:
        """Yield the texts with masks, each once, in the schema of MaskedItem."""
        seen: set[str] = set()
        for row in self.rows:
            context = self.texts(row)[0].text
            for text in self.texts(row):
                sentence_id = self.sentence_id(text)
                if text.constraints and sentence_id not in seen:
                    seen.add(sentence_id)
                    asked = text.kind == row["polarity"] and MASK not in context
                    yield self._sentence(row, text, context if asked else "")

    def _sentence(self, row: Row, text: ChoiceText, premise: str) -> dict[str, Any]:
        by_role = {option["role"]: option["text"] for option in row["options"]}
        return {
            "id": self.sentence_id(text),
            "language": row["language"],
            "domain": row["category"],
            "stereotype": row["stereotype"],
            "template_id": f"{row['category']} {row['template_id']} {text.kind}",
            "premise": premise,
            "hypothesis": text.text,
            "question": "",
            "label": "neutral",
            "stance_design": "pro",
            "bindings": asdict(Bindings(by_role[0], by_role[1])),
            "premise_swapped": False,
            "names_group": True,
            "set_id": content_id("masked text", self.set_id, text.kind),
            "parent_id": None,
            "supersedes": None,
            "premise_source": None,
            "mask_constraints": list(text.constraints),
            "question_forms": [""] * len(text.constraints),
            "rules": row["rules"],
        }

    @classmethod
    def table(cls, masked: pa.Table) -> pa.Table:
        """Return the sentences of all sets of ``masked``, MaskedChoices."""
        rows = [s for set_id, rows in by_set(masked).items() for s in cls(set_id, rows).sentences()]
        return pa.Table.from_pylist(rows, schema=arrow_schema(MaskedItem))
