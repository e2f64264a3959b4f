"""Masked choice items: the words of a set are the same in all of its items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from nextset.artifacts.build import PartResult
from nextset.forms import CHOICE
from nextset.generation.choices.choice_sentences import ChoiceSentences, ChoiceText, Row, by_set
from nextset.generation.choices.choice_tables import choice_sources
from nextset.records.arrow_schema import arrow_schema
from nextset.records.choice_items import ChoiceItem, choice_ids, choice_set_id
from nextset.records.nli_items import Fill, Word
from nextset.study.choice_settings import ChoiceSettings
from nextset.study.item_tables import distinct
from nextset.study.mask_constraint import LIST_NAME, parse_constraint
from nextset.study.study_folder import Study
from nextset.word_lists.fill_list import fill_list

__all__ = ["MASKED_CHOICES", "MaskedChoices"]

UNFILLED = "sets without a fill for all of their texts"
SETS = "sets with their masks filled"
MERGED = "rows with the same text as another row, merged"
_KINDS = ("ambiguous", "disambiguating", "negative", "non_negative")
Words = tuple[str, ...]


class MaskedChoices:
    """Masked choice items of language packs."""

    name = CHOICE.name
    table = CHOICE.generated
    takes_opposites = False
    marks_fills = False

    def has_masks(self, study: Study) -> bool:
        """Return True if a template of the study's packs has a mask."""
        settings = study.settings.section("choices", ChoiceSettings)
        if settings is None or not settings.makes_masks:
            return False  # published files, which may be large, are not read
        return any(source.masked is not None for source in choice_sources(study))

    def sentences(self, masked: pa.Table) -> pa.Table:
        """Return each text of a set that has a mask."""
        return ChoiceSentences.table(masked)

    def distinct(self, sentences: pa.Table) -> pa.Table:
        """Return the filled sentences as they are: each is a part of the items of its own set."""
        return sentences

    def filled(self, sentences: pa.Table, masked: pa.Table) -> PartResult:
        """Return the items of each set with its fills: texts of a set take fills of the same rank."""
        fillings, counts = _fillings(sentences), Counter[str]()
        rows: list[dict[str, Any]] = []
        for set_id, members in by_set(masked).items():
            filled = list(_FilledSet(ChoiceSentences(set_id, members), fillings).rows())
            counts[SETS if filled else UNFILLED] += 1
            rows += filled
        schema = arrow_schema(ChoiceItem)
        table = pa.Table.from_pylist(rows, schema=schema)
        table = table.set_column(0, schema.field("id"), pa.array(choice_ids(table), pa.string()))
        items = distinct(table)
        counts[MERGED] += table.num_rows - items.num_rows
        return PartResult(items, counts)

    def list_digests(self, masked: pa.Table) -> Mapping[str, str]:
        """Return the digests of the shipped lists that masks name."""
        written = {
            (row["language"], constraint)
            for row in masked.select(["language", "mask_constraints"]).to_pylist()
            for constraint in row["mask_constraints"]
        }
        digests = {}
        for language, constraint in sorted(written):
            for name in parse_constraint(constraint).entries:
                if LIST_NAME.fullmatch(name) and (listed := fill_list(language, name)):
                    digests[f"list {name}, {language}"] = listed.digest
        return digests


@dataclass(frozen=True)
class _Filling:
    """A masked sentence with its fills."""

    text: str
    fills: tuple[Fill, ...]

    @property
    def words(self) -> Words:
        """The fills' words."""
        return tuple(fill.word for fill in self.fills)


Fillings = Mapping[str, Sequence[_Filling]]
"""The fillings of each masked sentence, best first, by its id."""


def _fillings(sentences: pa.Table) -> Fillings:
    """Return the fillings by sentence, best first."""
    fillings: dict[str, list[_Filling]] = defaultdict(list)
    for row in sentences.to_pylist():
        fills = tuple(Fill(**fill) for fill in row["bindings"]["fills"])
        fillings[row["parent_id"]].append(_Filling(row["hypothesis"], fills))
    for of_sentence in fillings.values():
        of_sentence.sort(key=lambda filling: filling.fills[0].rank)
    return fillings


@dataclass(frozen=True)
class _FilledSet:
    """A set of masked items, and the fillings of its sentences."""

    sentences: ChoiceSentences
    fillings: Fillings

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the items of each filled set."""
        texts = {id(row): self.sentences.texts(row) for row in self.sentences.rows}
        words = self._words([text for of_row in texts.values() for text in of_row])
        for rank, of_kinds in enumerate(zip(*words.values(), strict=False), 1):
            chosen = dict(zip(words, of_kinds, strict=True))
            for row in self.sentences.rows:
                yield self._row(row, texts[id(row)], chosen, rank)

    def _words(self, texts: Sequence[ChoiceText]) -> dict[str, list[Words]]:
        """Return, for each kind of text with masks, the words that all of its sentences take, best first."""
        by_kind: dict[str, list[Words]] = {}
        for kind in _KINDS:
            ids = dict.fromkeys(
                self.sentences.sentence_id(t) for t in texts if t.kind == kind and t.constraints
            )
            of_sentences = [[f.words for f in self.fillings.get(i, ())] for i in ids]
            if of_sentences:
                first, *others = of_sentences
                by_kind[kind] = [w for w in first if all(w in other for other in others)]
        return by_kind

    def _row(
        self, row: Row, texts: Sequence[ChoiceText], chosen: Mapping[str, Words], rank: int
    ) -> dict[str, Any]:
        """Return ``row`` with the words ``chosen`` for each kind of text."""
        placed = [self._placed(text, chosen) for text in texts]
        context = "".join(text.before + part for text, (part, _) in zip(texts[:-1], placed, strict=False))
        fills = [Fill(fill.word, rank, fill.score) for _, of_text in placed for fill in of_text]
        of_set = [word for kind in _KINDS for word in chosen.get(kind, ())]
        names = ("language", "category", "template_id")
        item = SimpleNamespace(
            **{name: row[name] for name in names},
            words=[Word(**word) for word in row["words"]],
            fills=[Fill(word, rank, None) for word in of_set],
        )
        return {
            **row,
            "context": context,
            "question": placed[-1][0],
            "fills": [{"word": f.word, "rank": f.rank, "score": f.score} for f in fills],
            "set_id": choice_set_id(item, [row["set_id"]]),
            "parent_id": row["id"],
        }

    def _placed(self, text: ChoiceText, chosen: Mapping[str, Words]) -> tuple[str, tuple[Fill, ...]]:
        """Return ``text`` with its words, and its fills."""
        if not text.constraints:
            return text.text, ()
        of_sentence = self.fillings[self.sentences.sentence_id(text)]
        filling = next(f for f in of_sentence if f.words == chosen[text.kind])
        return filling.text, filling.fills


MASKED_CHOICES = MaskedChoices()
"""The part for choice items."""
