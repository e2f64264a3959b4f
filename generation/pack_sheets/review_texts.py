"""The texts of a review: questions and statements of a pack, and the marks that a reader sees in each.

Marks are templates, forms, the texts of subjects and attributes, and changes by sound rules. A context and a
question have separate marks, since any context of a template goes with any question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from nextset.errors import WordListError
from nextset.files.yaml_model import read_model
from nextset.generation.pack_sheets.needed_forms import form_name
from nextset.generation.pack_sheets.rule_changes import rule_changes
from nextset.generation.questions.context_spans import candidate, render_context
from nextset.generation.questions.pack import Pack, read_pack
from nextset.generation.questions.pack_schema import PackFile
from nextset.generation.questions.question_set import Attribute, QuestionSet, SetTemplate, Subject
from nextset.generation.questions.subject_pairs import pairs_at
from nextset.generation.slots import Features, Slot, form_key
from nextset.scoring.masks.word_pattern import MASK

__all__ = ["Mark", "Piece", "ReviewPack", "ReviewRow", "read_review_pack"]

Mark = tuple[str, ...]
"""A thing that a reader must see once: template, form, subject, attribute or rule, with its value."""

SubjectPair = tuple[Subject, Subject]
"""The subjects in [subj1] and [subj2]."""


@dataclass(frozen=True)
class Piece:
    """A hand-written part of a row, which may need a correction."""

    what: str
    """A description, such as Turkey (dem.m)."""
    text: str
    """The text; empty for a template."""
    file: Path
    line: int | None
    """The line of the entry in that file, from 1."""


@dataclass(frozen=True)
class ReviewRow:
    """A row of a review: a context with a question or statement."""

    id: str
    """Class, question or statement, template, both subjects and the attribute, with slashes."""
    context: str
    text: str
    """The question, or the statement with the first subject."""
    negated: str
    """The question with the negation, or the negated statement with the second subject."""
    derived: tuple[str, ...]
    """Forms in the row that a rule derived."""
    pieces: tuple[Piece, ...]
    """The parts of the row; the template comes last."""


@dataclass(frozen=True)
class ReviewPack:
    """A complete pack, with the effects of each of its sound rules."""

    folder: Path
    """The pack's folder."""
    rule_names: tuple[str, ...]
    """The names of the sound rules, in their order."""
    with_rules: tuple[Pack, ...]
    """The pack without rules, with the first rule, with the first two, and so on, up to all rules."""

    @property
    def sets(self) -> tuple[QuestionSet, ...]:
        """The pack's classes, in the form of questions and of statements."""
        return self.with_rules[-1].sets

    @cached_property
    def pairs(self) -> tuple[tuple[SubjectPair, ...], ...]:
        """The pairs of subjects of each set, in both orders."""
        return tuple(tuple(_ordered_pairs(questions)) for questions in self.sets)

    def context_marks(self, s: int, t: int, pair: SubjectPair) -> frozenset[Mark]:
        """Return the marks of the context of template ``t`` of set ``s`` with ``pair``."""
        questions = self.sets[s]
        template = questions.templates[t]
        marks: set[Mark] = {("template", questions.name, questions.form, template.id)}
        for subject, key in _forms(questions, template, pair):
            marks.add(("form", subject.file.stem, form_name(key)))
            marks.add(("subject", subject.file.stem, subject.name, subject.forms[key]))
        texts = [render_context(p.sets[s], p.sets[s].templates[t], *pair).text for p in self.with_rules]
        return frozenset(marks | self._changes(texts))

    def question_marks(self, s: int, t: int, a: int) -> frozenset[Mark]:
        """Return the marks of the question or statement about attribute ``a``, and of its negation."""
        asked = [p.sets[s].templates[t].by_attribute[a] for p in self.with_rules]
        marks: set[Mark] = set()
        for texts in (asked[-1].text, asked[-1].negated):
            for key in _attribute_forms(asked[-1].attribute, texts):
                marks.add(("form", asked[-1].attribute.kind, form_name(key)))
                marks.add(("attribute", asked[-1].attribute.name, asked[-1].attribute.forms[key]))
        changes = self._changes([x.text for x in asked]) | self._changes([x.negated for x in asked])
        return frozenset(marks | changes)

    def row(self, s: int, t: int, pair: SubjectPair, a: int) -> ReviewRow:
        """Return the row of a context with one of its questions."""
        questions = self.sets[s]
        template = questions.templates[t]
        asked = template.by_attribute[a]
        text, negated = asked.text, asked.negated
        if questions.masks_subject:
            one, two = (candidate(template, subject) for subject in pair)
            text, negated = text.replace(MASK, one), negated.replace(MASK, two)
        used = {(x.name, key): x for x, key in _forms(questions, template, pair)}
        attribute = asked.attribute
        forms = {k: None for x in (asked.text, asked.negated) for k in _attribute_forms(attribute, x)}
        parts = (questions.name, questions.form, template.id, *(x.name for x in pair), attribute.name)
        return ReviewRow(
            id="/".join(part.replace("~", "~0").replace("/", "~1") for part in parts),
            context=render_context(questions, template, *pair).text,
            text=text,
            negated=negated,
            derived=tuple(
                f"{x.forms[key]} ({form_name(key)})" for (_, key), x in used.items() if key in x.derived
            ),
            pieces=(
                *(_piece(x, key) for (_, key), x in used.items()),
                *(_piece(attribute, key) for key in forms),
                Piece(f"the template {template.id}", "", questions.file, template.line),
            ),
        )

    def row_of(self, row_id: str) -> ReviewRow | None:
        """Return the row with the id ``row_id`` from the current pack; None if there is no such row."""
        parts = [part.replace("~1", "/").replace("~0", "~") for part in row_id.split("/")]
        if len(parts) != 6:
            return None
        of_class, form, template_id, *names, attribute = parts
        for s, questions in enumerate(self.sets):
            if (questions.name, questions.form) == (of_class, form):
                pair = self._by_names[s].get((names[0], names[1]))
                for t, template in enumerate(questions.templates):
                    asked = [x.attribute.name for x in template.by_attribute]
                    if pair is not None and template.id == template_id and attribute in asked:
                        return self.row(s, t, pair, asked.index(attribute))
        return None

    @cached_property
    def _by_names(self) -> tuple[dict[tuple[str, str], SubjectPair], ...]:
        return tuple({(a.name, b.name): (a, b) for a, b in made} for made in self.pairs)

    def _changes(self, texts: list[str]) -> set[Mark]:
        """Return the changes by each rule: ``texts`` are one text after none, one, two … of the rules."""
        return {
            ("rule", name, *change)
            for name, before, after in zip(self.rule_names, texts[:-1], texts[1:], strict=True)
            if before != after
            for change in rule_changes(before, after)
        }


def read_review_pack(folder: Path) -> ReviewPack:
    """Read the pack in ``folder``; raises WordListError if it cannot be used, such as for an empty cell."""
    names = read_model(folder / "pack.yaml", PackFile, WordListError)[0].rules
    packs = tuple(read_pack(folder, rules=n) for n in range(len(names) + 1))
    return ReviewPack(folder, names, packs)


def _ordered_pairs(questions: QuestionSet) -> Iterator[SubjectPair]:
    one, two = questions.lists
    places = pairs_at(np.arange(questions.n_pairs), questions)
    for i, j in zip(*(p.tolist() for p in places), strict=True):
        yield one[i], two[j]
        yield two[j], one[i]


def _forms(
    questions: QuestionSet, template: SetTemplate, pair: SubjectPair
) -> Iterator[tuple[Subject, Features]]:
    """Yield the subjects with their forms in the context and at the mask."""
    slots = {p.name: p.features or frozenset() for p in template.context if isinstance(p, Slot)}
    for name, subject in zip(("subj1", "subj2"), pair, strict=True):
        for wanted in (slots[name], *([template.mask_form] if questions.masks_subject else [])):
            key = form_key(subject.forms, wanted, template.gender)
            assert key is not None, "read_pack looked every form up"
            yield subject, key


def _attribute_forms(attribute: Attribute, text: str) -> list[Features]:
    """Return the forms of ``attribute`` in a question: the longest one, and others with the same text."""
    keys = [key for key, form in attribute.forms.items() if form in text]
    longest = max((len(attribute.forms[key]) for key in keys), default=0)
    return [key for key in keys if len(attribute.forms[key]) == longest]


def _piece(entry: Subject | Attribute, key: Features) -> Piece:
    return Piece(f"{entry.name} ({form_name(key) or 'base'})", entry.forms[key], entry.file, entry.line)
