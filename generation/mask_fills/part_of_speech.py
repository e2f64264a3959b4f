"""The category and form of a fill in its sentence, by a spaCy model."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nextset.errors import ModelError
from nextset.files.regular_file import kind_of_path
from nextset.generation.sound_rules.rule_names import named_rules
from nextset.generation.templates.placeholders import place_words
from nextset.scoring.masks.masked_text import Prompt
from nextset.study.model_labels import model_folder

__all__ = ["Tagger", "TaggerSource", "locate_tagger"]


@dataclass(frozen=True)
class TaggerSource:
    """A spaCy model on this machine."""

    name: str
    """The model's name in the study."""
    folder: Path | None
    """The model's folder; None for an installed package."""
    digest: str
    """16-byte BLAKE2b over the model's files, as 32 hex digits."""


def locate_tagger(name: str, base: Path) -> TaggerSource:
    """Find the spaCy model ``name``: a folder (relative to ``base``) or an installed package.

    Raises ModelError if there is no such model.
    """
    folder = model_folder(name, base)
    if (folder / "meta.json").is_file():
        return TaggerSource(name, folder, _digest(folder))
    package = _package(name)
    if package is None:
        raise ModelError(
            f"{name!r} is neither an installed spaCy model nor a folder with one",
            remedy=f"python -m spacy download {name}" if name.isidentifier() else "check the path",
        )
    return TaggerSource(name, None, _digest(package))


def _package(name: str) -> Path | None:
    """Return the folder of the installed package ``name`` if it is a spaCy model (has a meta.json)."""
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ValueError, ImportError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    folders = (Path(p) for p in places)
    return next((p for p in folders if (p / "meta.json").is_file() or any(p.glob("*/meta.json"))), None)


def _digest(folder: Path) -> str:
    state = blake2b(digest_size=16)
    for path in sorted(p for p in folder.rglob("*") if not p.is_dir() and p.suffix != ".pyc"):
        if (kind := kind_of_path(path)) != "file":
            raise ModelError(f"{path} is a {kind}, not a file", remedy="remove it from the model's folder")
        state.update(str(path.relative_to(folder)).encode() + b"\0")
        state.update(blake2b(path.read_bytes()).digest())
    return state.hexdigest()


@dataclass(frozen=True)
class Tagger:
    """A loaded spaCy model that gives parts of speech."""

    nlp: Any
    """The pipeline."""

    @classmethod
    def load(cls, source: TaggerSource) -> Tagger:
        """Load a tagger; raises ModelError for a model that cannot be loaded or gives no parts of speech."""
        import spacy

        try:
            nlp = spacy.load(source.folder or source.name)
        except (OSError, ValueError, ImportError, TypeError, AttributeError) as e:
            first = (str(e).strip() or type(e).__name__).splitlines()[0]
            raise ModelError(
                f"the spaCy model {source.name} cannot be loaded: {first}",
                remedy="install the version of the model that matches the installed spaCy",
            ) from None
        if not any(token.pos_ for token in nlp("She mends a kettle.")):
            raise ModelError(
                f"the spaCy model {source.name} gives no parts of speech",
                remedy="choose a spaCy model with a tagger or a morphologizer",
            )
        return cls(nlp)

    def fits(
        self,
        categories: Sequence[Sequence[str]],
        prompt: Prompt,
        fillings: Sequence[Sequence[str]],
        rules: Sequence[str] = (),
    ) -> list[bool]:
        """Return whether each filling's words have one of the ``categories`` of their mask in every sentence.

        A category is one in a mask constraint, such as adj or noun.plural; a mask without categories takes
        every word. A word is tagged in the filled sentence, after the sound ``rules``; if the tagger splits
        the word, its last part counts.
        """
        sounds = named_rules(rules)
        placed = [
            place_words(masked.sentence, words, capitalise=True, rules=sounds)
            for words in fillings
            for masked in prompt.sentences
        ]
        fitting = []
        for doc, place in zip(self.nlp.pipe(p.text for p in placed), placed, strict=True):
            spans = [doc.char_span(*span, alignment_mode="expand") for span in place.spans]
            fitting.append(
                all(
                    not wanted or (span is not None and any(_has(span[-1], c) for c in wanted))
                    for span, wanted in zip(spans, categories, strict=True)
                )
            )
        n = len(prompt.sentences)
        return [all(fitting[i * n : (i + 1) * n]) for i in range(len(fillings))]


_TAGS = {"adj": "ADJ", "adv": "ADV", "noun": "NOUN", "verb": "VERB"}
_FEATURES: dict[str, list[dict[str, tuple[str, ...]]]] = {
    "adj.positive": [{"Degree": ("Pos", "")}],
    "adj.comparative": [{"Degree": ("Cmp",)}],
    "adj.superlative": [{"Degree": ("Sup",)}],
    "noun.singular": [{"Number": ("Sing",)}],
    "noun.plural": [{"Number": ("Plur",)}],
    "verb.base": [
        {"VerbForm": ("Inf",)},
        {"VerbForm": ("Fin",), "Tense": ("Pres",), "Number": ("", "Plur"), "Person": ("", "1", "2", "3")},
    ],
    "verb.past": [{"VerbForm": ("Fin",), "Tense": ("Past",)}],
    "verb.third": [{"VerbForm": ("Fin",), "Tense": ("Pres",), "Number": ("Sing",), "Person": ("3",)}],
    "verb.ing": [{"VerbForm": ("Ger",)}, {"VerbForm": ("Part",), "Tense": ("Pres",)}],
    "verb.participle": [{"VerbForm": ("Part",), "Tense": ("Past",)}, {"VerbForm": ("Part",), "Tense": ("",)}],
}
"""The Universal Dependencies features of each form; an empty value means that the feature is absent."""


def _has(token: Any, category: str) -> bool:
    if token.pos_ != _TAGS[category.partition(".")[0]]:
        return False
    features = token.morph.to_dict()
    return category not in _FEATURES or any(
        all(features.get(name, "") in values for name, values in alternative.items())
        for alternative in _FEATURES[category]
    )
