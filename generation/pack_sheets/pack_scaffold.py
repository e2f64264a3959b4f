"""The files of a new pack, as text: known cells are filled in, and all other cells are empty.

Each cell has its own line, with the English example as a comment after it, or above it if it is long.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from nextset.generation.pack_sheets.cell_words import attribute_words, subject_words, template_words
from nextset.generation.pack_sheets.english_pack import english_attributes, english_subjects, english_template

__all__ = ["CLASSES", "Scaffold", "scaffold_files"]

_WARNING = """\
# Content warning: the attributes and questions of this pack state prejudices about people, so that models can
# be tested for them. None is asserted. They can be distressing to read: take breaks, and stop when you want.
"""
_HINT = (
    '# Fill in empty texts (""); the comments have English examples. See docs/reference/language_packs.md.\n'
)

_SUFFIXES = "suffixes: outside       # a derived suffix is not part of the answer"

_PAIRS = {
    "gender": "{subjects: [female_names, male_names], pairs: across}",
    "nationality": "{subjects: [countries], pairs: all}",
    "ethnicity": "{subjects: [ethnic_groups], pairs: all}",
    "religion": "{subjects: [religions], pairs: all}",
}
CLASSES = tuple(_PAIRS)
"""The classes that a new pack can have."""
_LISTS = {
    "gender": ("female_names", "male_names"),
    "nationality": ("countries",),
    "ethnicity": ("ethnic_groups",),
    "religion": ("religions",),
}
"""The lists of a class."""
_TEMPLATES = {
    "gender": ("occupation", ("wedding", "rain", "introduction", "keys")),
    "nationality": ("person", ("same_street", "bus_stop", "elevator", "train")),
    "ethnicity": ("person", ("same_street", "bus_stop", "elevator", "train")),
    "religion": ("person", ("same_street", "bus_stop", "elevator", "train")),
}
"""The kind of attributes of a class's templates, and their names, as in the English pack."""
_WITHIN = {
    "religions": {
        "Protestant": "Christian", "Orthodox": "Christian", "Catholic": "Christian", "Mormon": "Christian",
    },
    "ethnic_groups": {"African American": "Black"},
}  # fmt: skip
"""Subjects of English lists that are part of another subject."""
_ABOUT = {
    "countries": "Countries, with words for a person from there. The names come from CLDR. {}",
    "ethnic_groups": "Ethnic groups, from the English pack. Remove groups that no one around you would name, "
    "and add groups that matter in your society, at least eight in total. {}",
    "religions": "Religions and beliefs. Remove or add some, so that the list fits your society. {}",
    "female_names": "Candidate first names of women: {} Remove names that are rare, or also used for men.",
    "male_names": "Candidate first names of men: {} Remove names that are rare, or also used for women.",
}


@dataclass(frozen=True)
class Scaffold:
    """The initial content of a new pack."""

    language: str
    """BCP 47 tag."""
    language_name: str
    """The language's name in English."""
    direction: str
    """ltr or rtl."""
    join: str
    """The text between two texts."""
    rules: tuple[str, ...]
    """The sound rules."""
    derive: tuple[str, ...]
    """The rules for forms that need not be listed."""
    forms: Mapping[str, tuple[str, ...]]
    """The forms that each list of subjects must have."""
    countries: Mapping[str, str]
    """Names in the language by English key; empty names are empty cells."""
    female: Mapping[str, str]
    """First names of women by key; empty names are empty cells."""
    male: Mapping[str, str]
    """First names of men by key; empty names are empty cells."""
    names_from: str
    """The source of the names, as a sentence."""
    who: str
    """The question after a person, with [p_act]; empty if it is an empty cell."""
    classes: tuple[str, ...]
    """The classes, some of `CLASSES`."""
    occupations: tuple[str, ...]
    """English keys of occupations."""
    acts: tuple[str, ...]
    """English keys of acts."""


def scaffold_files(s: Scaffold) -> dict[str, str]:
    """Return the files of the pack by their path below its folder."""
    ethnic = dict.fromkeys(english_subjects("ethnic_groups"), "")
    religions = dict.fromkeys(english_subjects("religions"), "")
    lists = {listed for name in s.classes for listed in _LISTS[name]}
    acts = {_TEMPLATES[name][0] for name in s.classes}
    wanted = {
        "pack.yaml",
        *(f"subjects/{name}.yaml" for name in lists),
        *(("attributes/occupations.yaml",) if "occupation" in acts else ()),
        *(("attributes/acts.yaml",) if "person" in acts else ()),
        *(f"templates/{name}.yaml" for name in s.classes),
    }
    every = {
        "pack.yaml": _pack(s, lists),
        "subjects/countries.yaml": _subjects(s, "countries", s.countries, ""),
        "subjects/ethnic_groups.yaml": _subjects(s, "ethnic_groups", ethnic, ""),
        "subjects/religions.yaml": _subjects(s, "religions", religions, ""),
        "subjects/female_names.yaml": _subjects(s, "female_names", s.female, "f"),
        "subjects/male_names.yaml": _subjects(s, "male_names", s.male, "m"),
        "attributes/occupations.yaml": _attributes("Occupations.", s.occupations),
        "attributes/acts.yaml": _attributes(
            "Negative acts and traits. A source is the work that documents the trait as a prejudice; "
            "these sources are from the English pack. If you know a work about your society, name that.",
            s.acts,
        ),
        **{f"templates/{name}.yaml": _templates(name, s) for name in _TEMPLATES},
    }
    return {name: text for name, text in every.items() if name in wanted}


def _pack(s: Scaffold, lists: Collection[str]) -> str:
    forms = {name: keys for name, keys in s.forms.items() if name in lists}
    lines = [
        f"# A language pack: {s.language_name}. `nextset language status` lists what is still empty.",
        "format: 1",
        f"language: {_value(s.language)}",
        f"direction: {s.direction}",
        f'join: "{s.join}"{" " * (15 - len(s.join))}# the text between a prefix and a context',
        "checked_by: []          # native speakers who checked it: `nextset language review` fills it in",
        f"rules: [{', '.join(s.rules)}]",
        *([f"derive: [{', '.join(s.derive)}]", _SUFFIXES] if s.derive else []),
        "defaults: [nom, sg]     # default features, which forms and slots omit",
        *(["forms:                  # the forms that every subject of a list must have"] if forms else []),
        *(f"  {name}: [{', '.join(map(_form, keys))}]" for name, keys in forms.items()),
        "classes:",
        *(f"  {name}: {pairs}" for name, pairs in _PAIRS.items() if name in s.classes),
    ]
    return _WARNING + "\n".join(lines) + "\n"


def _form(key: str) -> str:
    return key or '""'


def _subjects(s: Scaffold, listed: str, names: Mapping[str, str], gender: str) -> str:
    known = english_subjects(listed)
    cluster_of = {"f": "female", "m": "male"}
    about = _ABOUT[listed].format(s.names_from if gender else "").strip()
    lines = ["format: 1", f"about: {_value(about)}", "subjects:"]
    for name, text in names.items():
        lines.append(f"  {_key(name)}:")
        if cluster := cluster_of.get(gender) or known.get(name, {}).get("cluster", ""):
            lines.append(f"    cluster: {_value(cluster)}")
        if gender:
            lines.append(f"    gender: {gender}")
        within = _WITHIN.get(listed, {}).get(name)
        if within in names:
            lines.append(f"    within: [{_value(within)}]")
        needed = s.forms.get(listed, ())
        if gender and text == name:
            cells: dict[str, str] = {}  # a first name is its own key
        else:
            cells = {"": text} if text or gender or "" in needed else {}
        cells |= {key: "" for key in needed if key}
        if cells:
            lines.append("    forms:")
            lines += _cells(6, {k: (v, subject_words(listed, name, k)[1]) for k, v in cells.items()})
        elif len(lines[-1]) and lines[-1] == f"  {_key(name)}:":
            lines[-1] += " {}"
    return _HINT + "\n".join(lines) + "\n"


def _attributes(about: str, names: Iterable[str]) -> str:
    known = english_attributes()
    lines = ["format: 1", f"about: {_value(about)}", "attributes:"]
    for name in names:
        entry = known[name]
        lines += [
            f"  {name}:",
            f"    kind: {entry['kind']}",
            *([f"    cluster: {_value(entry['cluster'])}"] if entry.get("cluster") else []),
            f"    source: {_value(entry['source'])}",
            "    forms:",
            *_cells(6, {key: ("", attribute_words(name, entry["kind"], key)[1]) for key in ("", "neg")}),
        ]
    return _WARNING + _HINT + "\n".join(lines) + "\n"


def _templates(of_class: str, s: Scaffold) -> str:
    takes, names = _TEMPLATES[of_class]
    lines = ["format: 1", f"class: {of_class}"]
    for section, main in (("templates", "question"), ("statements", "statement")):
        lines.append(f"{section}:")
        for name in names:
            lines += [f"  {name}:", f"    takes: {takes}"]
            for key in ("context", main, "negated"):
                english = template_words(of_class, section, name, key)[1]
                lines += _above(4, key, _question(s, of_class, section, name, key), english)
    return _WARNING + _HINT + "\n".join(lines) + "\n"


def _question(s: Scaffold, of_class: str, section: str, name: str, key: str) -> str:
    """Return the question if the language's question word is known and the English question has *Who*."""
    english = english_template(of_class, section, name, key)
    if section != "templates" or key == "context" or not s.who or not english.startswith("Who "):
        return ""
    return s.who.replace("[p_act]", "[p_act:neg]") if key == "negated" else s.who


def _cells(indent: int, cells: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Yield one line per cell: its key, its text, and the example as a comment."""
    for key, (text, english) in cells.items():
        line = f"{' ' * indent}{_key(key)}: {_quoted(text)}"
        yield f"{line}  # {_comment(english)}" if english and not text else line


def _above(indent: int, key: str, text: str, english: str) -> Sequence[str]:
    line = f"{' ' * indent}{key}: {_quoted(text)}"
    return [f"{' ' * indent}# {_comment(english)}", line] if english else [line]


def _comment(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(name: str) -> str:
    return _value(name)


def _value(value: Any) -> str:
    """Return ``value`` as YAML: plain if it consists only of letters and spaces, else in quotes."""
    text = str(value)
    plain = text.replace("_", "").replace(" ", "").replace("-", "").replace(".", "").isalnum()
    safe = (
        plain and text[0].isalpha() and text == text.strip() and yaml.safe_load(f"{{{text}: 1}}") == {text: 1}
    )
    return text if safe else _quoted(text)
