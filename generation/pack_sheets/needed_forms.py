"""The forms that subjects and attributes must have: those that the pack declares or its templates use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nextset.errors import WordListError
from nextset.generation.derived_forms.derivation import derived_form
from nextset.generation.pack_sheets.incomplete_pack import IncompletePack, template_names
from nextset.generation.slots import (
    Features,
    Piece,
    Slot,
    SlotError,
    features,
    genders,
    parse,
)

__all__ = ["NeededForm", "attribute_forms", "form_features", "form_name", "listed_texts", "subject_forms"]

_ORDER = ("neg", "dem", "m", "f", "n", "sg", "pl")
"""The features that come first in the usual order; cases and others follow."""


@dataclass(frozen=True)
class NeededForm:
    """A form that every entry of a list must have."""

    name: str
    """The form's key in a file."""
    features: Features
    """The form's features, without the default ones."""
    gender: str
    """The gender that the form may omit; empty if all features are needed."""

    def served_by(self, forms: Mapping[Features, str], derive: Sequence[str] = (), name: str = "") -> bool:
        """Return whether an entry with the listed ``forms`` has the form, or one that replaces it.

        ``derive`` are rules that may derive it, also from the entry's ``name`` if there is no base form.
        """
        keys = (self.features, self.features - {self.gender})
        if any(key in forms for key in keys):
            return True
        base = {frozenset[str](): name} if name and derive else {}
        return any(derived_form(derive, {**base, **forms}, key) is not None for key in keys if key)


def form_name(wanted: Features) -> str:
    """Return the key of a form: its features in the usual order, with dots between them."""
    last = len(_ORDER)
    return ".".join(sorted(wanted, key=lambda f: (_ORDER.index(f) if f in _ORDER else last, f)))


def listed_texts(forms: Mapping[str, str], defaults: Features) -> dict[Features, str]:
    """Return the texts by features without ``defaults``; keys that are not forms are skipped."""
    return {f: text for key, text in forms.items() if (f := form_features(key, defaults)) is not None}


def form_features(key: str, defaults: Features) -> Features | None:
    """Return the features of a form's key without ``defaults``; None if it is not a form."""
    try:
        return features(key) - defaults
    except SlotError:
        return None


def subject_forms(pack: IncompletePack) -> dict[str, tuple[NeededForm, ...]]:
    """Return the forms that every subject of a list must have, by list.

    Raises WordListError if pack.yaml declares forms for a list that no class has, or an invalid form.
    """
    needed: dict[str, dict[Features, NeededForm]] = {name: {} for name in pack.subjects}
    head, defaults = pack.head.model, frozenset(pack.head.model.defaults)
    for listed, keys in head.forms.items():
        line = pack.head.located.line(("forms", listed))
        if listed not in needed:
            raise WordListError(
                f"forms: no class has the list {listed!r}", file=pack.head.file, line=line,
                remedy=f"use the name of a class's list, or remove the line with {listed}",
            )  # fmt: skip
        for key in keys:
            wanted = form_features(key, defaults)
            if wanted is None:
                raise WordListError(
                    f"forms: {key!r} is not a form", file=pack.head.file, line=line,
                    remedy="write features separated by dots, such as dem.f",
                )  # fmt: skip
            needed[listed].setdefault(wanted, NeededForm(key, wanted, ""))
    known = {name: _listed(part.model.subjects.values(), defaults) for name, part in pack.subjects.items()}
    for of_class, part in pack.templates.items():
        lists = head.classes[of_class].subjects
        for section, name, _ in template_names(part.model):
            keys = ("context", "statement", "negated") if section == "statements" else ("context",)
            texts = [_pieces(part.text(section, name, key), defaults) for key in keys]
            for wanted, gender in _slots(texts, ("subj1", "subj2", "mask")):
                for listed in lists:
                    _add(needed[listed], wanted, gender, known[listed])
    return {listed: tuple(forms.values()) for listed, forms in needed.items()}


def attribute_forms(pack: IncompletePack) -> dict[str, tuple[NeededForm, ...]]:
    """Return the forms that every attribute of a kind must have, by kind."""
    every = [a for part in pack.attributes for a in part.model.attributes.values()]
    kinds = dict.fromkeys(a.kind for a in every)
    defaults = frozenset(pack.head.model.defaults)
    known = {kind: _listed((a for a in every if a.kind == kind), defaults) for kind in kinds}
    needed: dict[str, dict[Features, NeededForm]] = {}
    for kind in kinds:
        needed[kind] = {f: NeededForm(form_name(f), f, "") for f in (frozenset[str](), frozenset({"neg"}))}
    for part in pack.templates.values():
        for section, name, takes in template_names(part.model):
            if takes not in needed:
                continue
            main = "statement" if section == "statements" else "question"
            texts = [_pieces(part.text(section, name, key), defaults) for key in (main, "negated")]
            for wanted, gender in _slots(texts, ("p_act", "l_act")):
                # a question has no gender
                _add(needed[takes], wanted, gender if section == "statements" else "", known[takes])
    return {kind: tuple(forms.values()) for kind, forms in needed.items()}


def _pieces(text: str, defaults: Features) -> tuple[Piece, ...]:
    """Return the pieces of a template's text; none if it is empty, or if it is wrong, which lint reports."""
    try:
        return parse(text, defaults)
    except SlotError:
        return ()


def _slots(texts: list[tuple[Piece, ...]], names: tuple[str, ...]) -> Iterator[tuple[Features, str]]:
    """Yield the form of each slot with one of ``names``, once per gender in the texts."""
    try:
        agreed = genders(texts)
    except SlotError:
        agreed = ("",)
    for pieces in texts:
        for piece in pieces:
            if isinstance(piece, Slot) and piece.name in names and piece.features is not None:
                for gender in agreed:
                    yield piece.features, gender


def _add(needed: dict[Features, NeededForm], wanted: Features, gender: str, listed: set[Features]) -> None:
    """Add the form of a slot: with the gender if any form of the list has the gender, else without.

    The base form is not added: if it is missing, the subject's name replaces it.
    """
    agreed = wanted | {gender}
    if gender and any(gender in form for form in (*listed, *needed)):
        needed.setdefault(agreed, NeededForm(form_name(agreed), agreed, gender))
    elif wanted:
        needed.setdefault(wanted, NeededForm(form_name(wanted), wanted, ""))


class _Entry(Protocol):
    @property
    def forms(self) -> dict[str, str]: ...


def _listed(entries: Iterable[_Entry], defaults: Features) -> set[Features]:
    """Return the forms that any of ``entries`` has."""
    return {f for e in entries for f in listed_texts(e.forms, defaults)}
