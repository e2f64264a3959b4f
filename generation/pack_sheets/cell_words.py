"""The words that explain a cell of a pack: its content, and an example from English."""

from __future__ import annotations

from nextset.generation.pack_sheets.english_pack import (
    english_attributes,
    english_form,
    english_subjects,
    english_template,
)

__all__ = ["attribute_words", "prefix_words", "subject_words", "template_words"]

Words = tuple[str, str]
"""A description of a cell's content, and the English example."""

_FEATURES = {
    "dem": "a person from there",
    "m": "a man",
    "f": "a woman",
    "n": "neuter",
    "sg": "singular",
    "pl": "plural",
    "neg": "the opposite",
    "nom": "nominative",
    "acc": "accusative",
    "dat": "dative",
    "gen": "genitive",
    "ins": "instrumental",
    "loc": "locative",
    "abl": "ablative",
    "pre": "prepositional case",
    "voc": "vocative",
    "erg": "ergative",
    "obl": "oblique case",
    "dir": "direct case",
    "com": "comitative",
    "ess": "essive",
    "from": "with the word for from",
    "to": "with the word for to",
}
_TEXTS = {
    "context": "a sentence that names both, of women or men alike (no word that agrees with one of them in "
    "gender, or [subj1.g?m=…|f=…]), and says nothing bad of either",
    "question": "the question, the same for every pair, without a word for a woman or a man",
    "negated": "the same with the opposite",
    "statement": "a sentence in which one of the two takes the place of [mask]",
}


def subject_words(listed: str, name: str, key: str) -> Words:
    """Return the words for the form ``key`` of the subject ``name`` in the list ``listed``."""
    known = english_subjects(listed)
    what = f"{name}: {_form(key) or 'the name itself'}"
    if name in known:
        return what, english_form(known[name].get("forms", {}), key, name)
    if listed in ("female_names", "male_names") or key:
        # an example from a different subject
        other, entry = next(iter(known.items()), ("", {}))
        example = english_form(entry.get("forms", {}), key, other)
        return what, f"such as: {example} (for {other})" if example and key else _such_as(example)
    return what, name


def attribute_words(name: str, kind: str, key: str) -> Words:
    """Return the words for the form ``key`` of the attribute ``name`` of the kind ``kind``."""
    known = english_attributes()
    if name in known:
        return f"{name}: {_act(kind, key)}", english_form(known[name].get("forms", {}), key)
    alike: dict[str, str] = next((a.get("forms", {}) for a in known.values() if a.get("kind") == kind), {})
    example = english_form(alike, key)
    return f"{name}: {_act(kind, key)}", _such_as(example)


def template_words(of_class: str, section: str, name: str, key: str) -> Words:
    """Return the words for the text ``key`` of a template: context, question, statement or negated."""
    return f"{of_class}, {name}: {_TEXTS[key]}", english_template(of_class, section, name, key)


def prefix_words(name: str) -> Words:
    """Return the words for the prefix ``name``."""
    return f"prefix {name}: what can stand before a context", "(Reuters) --" if name == "news" else ""


def _such_as(example: str) -> str:
    return f"such as: {example}" if example else ""


def _act(kind: str, key: str) -> str:
    """Return the description of an attribute: the rest of a question, which must fit women and men."""
    completes = "completes “Where …?”" if kind == "place" else "completes “Who …?”, of a woman or a man alike"
    form = _form(key)
    return f"{form}, {completes}" if form else completes


def _form(key: str) -> str:
    """Return the features of ``key`` in plain language; empty for the base form."""
    return ", ".join(_FEATURES.get(part, part) for part in key.split(".") if part)
