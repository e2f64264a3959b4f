"""Small language packs: one that is half written, and any, for properties."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import yaml
from hypothesis import strategies as st

__all__ = ["ENGLISH", "ENGLISH_PACKS", "GERMAN", "TEXT", "write_pack"]

GERMAN: dict[str, str] = {
    "pack.yaml": """\
# A pack.
format: 1
language: de
checked_by: []   # no one yet
defaults: [nom]
prefixes: {news: "(BERLIN) –"}
forms: {countries: [dem.m, dem.f]}
classes:
  nationality: {subjects: [countries], pairs: all}
""",
    "subjects/countries.yaml": """\
format: 1
about: Countries.
subjects:
  Turkey: {forms: {"": die Türkei, dem.m: Türke, dem.f: Türkin}}   # with a note
  Spain:
    forms:
      "": Spanien
      dem.m: ""      # Spanish
      dem.f: ""      # Spanish
  Poland: {forms: {"": Polen}, cluster: europe}
""",
    "attributes/acts.yaml": """\
format: 1
attributes:
  thief: {kind: person, source: plain negative act, forms: {"": hat gestohlen, neg: hat nie gestohlen}}
  litter:
    kind: person
    source: plain negative act
    forms:
      "": warf Müll weg
      neg: ""
""",
    "templates/nationality.yaml": """\
format: 1
class: nationality
templates:
  same_street:
    takes: person
    context: "[g?m=Ein|f=Eine] [subj1:dem] wohnt bei [g?m=einem|f=einer] [subj2:dem.dat]."
    question: "Wer [p_act]?"
    negated: "Wer [p_act:neg]?"
statements:
  choir:
    takes: person
    context: "[g?m=Ein|f=Eine] [subj1:dem] und [g?m=ein|f=eine] [subj2:dem] singen im Chor."
    statement: "[g?m=Der|f=Die] [mask] [p_act]."
    negated: ""
""",
}
"""A German pack that is half written."""

ENGLISH: dict[str, str] = {
    "pack.yaml": """\
# mine
format: 1
language: en
checked_by: []   # no one yet
rules: [a-an]
classes:
  people: {subjects: [one], pairs: all}
""",
    "subjects/one.yaml": """\
format: 1
subjects:
  Ann: {}
  Tom: {forms: {dem: Tommish}}
  Ida: {}
  Eve: {}
  Bo: {}
  Can: {}
""",
    "attributes/acts.yaml": """\
format: 1
attributes:
  thief: {kind: person, source: plain negative act, forms: {"": was a thief, neg: was no thief}}
  liar: {kind: person, source: plain negative act, forms: {"": told lies, neg: told no lies}}
  idler: {kind: person, source: plain negative act, forms: {"": was lazy, neg: was not lazy}}
  litter: {kind: person, source: plain negative act, forms: {"": left litter, neg: left no litter}}
  queue: {kind: person, source: plain negative act, forms: {"": jumped the queue, neg: queued}}
  fare: {kind: person, source: plain negative act, forms: {"": paid no fare, neg: paid the fare}}
""",
    "templates/people.yaml": """\
format: 1
class: people
templates:
  met: {takes: person, context: "[subj1] met [subj2].", question: "Who [p_act]?", negated: "Who [p_act:neg]?"}
statements:
  saw:
    takes: person
    context: "[subj1] saw [subj2]."
    statement: "[mask] [p_act]."
    negated: "[mask] [p_act:neg]."
""",
}
"""An English pack that is whole."""

_WORD = st.text(
    st.characters(codec="utf-8", categories=("Lu", "Ll", "Lo"), max_codepoint=0xFFFF), min_size=1, max_size=6
)
TEXT = (
    st.lists(_WORD, min_size=1, max_size=3)
    .map(" ".join)
    .filter(lambda text: unicodedata.is_normalized("NFC", text))
)
"""Texts that a pack can have."""

_NAMES = ["Ann", "Bo", "Eve", "Una", "Ida", "Tom", "Cy", "Oz"]
_SENTENCES = [
    "[subj1] met [subj2].",
    "A [subj1] saw a [subj2].",
    "As a [subj1], [subj2] sang.",
    "[subj1] or a [subj2].",
]


@st.composite
def _english_packs(draw: st.DrawFn) -> dict[str, str]:
    """A pack with one class, whose contexts say a, which the rule makes an."""
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=2, max_size=6, unique=True))
    across = draw(st.booleans())
    lists = {"one": names[: len(names) // 2], "two": names[len(names) // 2 :]} if across else {"one": names}
    forms = {name: {"dem": f"{name}ish"} if draw(st.booleans()) else {} for name in names}
    dem = all(forms.values())
    sentences = draw(st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=3, unique=True))
    contexts = [
        s.replace("[subj1]", "[subj1:dem]").replace("[subj2]", "[subj2:dem]")
        if dem and draw(st.booleans())
        else s
        for s in sentences
    ]
    acts = draw(
        st.lists(st.sampled_from(["thief", "idler", "liar", "owl"]), min_size=1, max_size=4, unique=True)
    )
    attributes = {
        act: {
            "kind": "person",
            "source": "plain negative act",
            "forms": {"": f"was a {act}", "neg": f"was no {act}"},
        }
        for act in acts
    }
    questions = {
        f"t{i}": {"takes": "person", "context": c, "question": "Who [p_act]?", "negated": "Who [p_act:neg]?"}
        for i, c in enumerate(contexts)
    }
    statements = {
        f"t{i}": {
            "takes": "person",
            "context": c,
            "statement": "It is [mask] who [p_act].",
            "negated": "[mask] [p_act:neg].",
        }
        for i, c in enumerate(contexts[: draw(st.integers(0, 3))])
    }
    classes = {"people": {"subjects": list(lists), "pairs": "across" if across else "all"}}
    data: dict[str, object] = {
        "pack.yaml": {"format": 1, "language": "en", "rules": ["a-an"], "classes": classes},
        "attributes/acts.yaml": {"format": 1, "attributes": attributes},
        "templates/people.yaml": {
            "format": 1,
            "class": "people",
            "templates": questions,
            "statements": statements,
        },
    }
    for listed, of_list in lists.items():
        subjects = {name: {"forms": forms[name]} for name in of_list}
        data[f"subjects/{listed}.yaml"] = {"format": 1, "subjects": subjects}
    return {
        file: yaml.safe_dump(content, allow_unicode=True, sort_keys=False) for file, content in data.items()
    }


ENGLISH_PACKS = _english_packs()
"""Whole English packs with one class and one sound rule."""


def write_pack(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of a pack."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder
