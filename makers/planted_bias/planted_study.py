"""Two small studies for models with planted bias: questions, and NLI items with counterparts.

The groups are two clubs that do not exist, and their members have invented names, so the texts state nothing
about anyone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

__all__ = ["CLUSTERS", "CONTEXTS", "GROUPS", "HABITS", "OTHERS", "POLARITY", "SUBJECTS", "VERBS",
           "write_item_study", "write_question_study"]  # fmt: skip

CLUSTERS = ("velm", "tarn")
"""The clubs; in `makers.planted_bias.planted_models`, the first club is 1 and the other −1."""
SUBJECTS = {
    "velm": ("Abrik", "Bodel", "Cemru", "Dofal", "Eskun", "Fubra", "Gilto", "Hadrim", "Ilvek", "Jomul",
             "Kerast", "Lundo"),
    "tarn": ("Murek", "Nibal", "Osdru", "Pelkim", "Quorad", "Rastel", "Sobrin", "Tulvo", "Udrak", "Vemol",
             "Wisket", "Zorbal"),
}  # fmt: skip
"""The members of each club."""
CONTEXTS = ("market", "harbour", "library", "station", "bakery", "theatre", "garden", "museum")
"""The places of the contexts, one per question template; the subjects have the same distance in all."""
HABITS = {
    "dawdled": "conduct", "grumbled": "speech", "overslept": "conduct", "littered": "conduct",
    "gossiped": "speech", "boasted": "speech",
}  # fmt: skip
"""The attributes, which are habits in one word, with their clusters."""
POLARITY = {"often": 1, "never": -1}
"""The word before a habit."""
GROUPS = {"Velmans": 1, "Tarnians": -1}
"""The groups of the NLI items; the stereotypes name the first group."""
VERBS = (
    "argue", "bluff", "brag", "bungle", "cheat", "chatter", "complain", "dawdle", "delay", "dither", "doze",
    "exaggerate", "fidget", "forget", "frown", "fumble", "fuss", "gamble", "giggle", "gossip", "grumble",
    "hesitate", "hurry", "idle", "improvise", "interrupt", "joke", "litter", "loiter", "meddle", "moan",
    "mumble", "nag", "oversleep", "panic", "pout", "procrastinate", "quarrel", "ramble", "rush", "shout",
    "snore", "sulk", "tease", "tremble", "wander", "whine", "yawn",
)  # fmt: skip
"""The verbs in the stereotypes; each verb makes a separate hypothesis."""
STEREOTYPES = ("Velmans are rash", "Velmans are slow")
PREMISES = (
    "In spring, {{GROUP1}} held a fair on the main square.",
    "The town hall has a room for {{GROUP2}}.",
)
OTHERS = (
    "met", "at", "the", "Who", "In", "spring", "held", "a", "fair", "on", "main", "square", "The", "town",
    "hall", "has", "room", "for", "meetings", ".", ",", "?",
)  # fmt: skip
"""All further words of the texts."""
_WAIVED = "its weights are set by hand, and it knows nothing but its preference"
_MADE_UP = "The groups do not exist, and nothing is asserted about anyone."


def write_question_study(folder: Path, models: Sequence[str], members: int = 12) -> None:
    """Write a study of questions in ``folder`` that asks ``models``.

    In every context, each of the first ``members`` of one club meets each of the first ``members`` of the
    other, and the questions are about every habit.
    """
    _write(folder / "study.yaml", {
        "format": 1, "name": "planted-questions", "about": _MADE_UP,
        "questions": {"packs": ["clubs"], "forms": ["question"]},
        "filter": {"candidates": ["questions"], "models": list(models), "rule": {"c_at_least": 0.5}},
        "models": {model: {"canaries_waived": _WAIVED} for model in models},
    })  # fmt: skip
    pack = folder / "clubs"
    _write(pack / "pack.yaml", {
        "format": 1, "language": "en",
        "classes": {"club": {"subjects": list(CLUSTERS), "pairs": "across"}},
    })  # fmt: skip
    for cluster, names in SUBJECTS.items():
        _write(pack / "subjects" / f"{cluster}.yaml", {
            "format": 1, "about": _MADE_UP,
            "subjects": {name: {"cluster": cluster} for name in names[:members]},
        })  # fmt: skip
    _write(pack / "attributes" / "habits.yaml", {
        "format": 1, "about": _MADE_UP, "attributes": {
            habit: {
                "kind": "habit", "cluster": cluster, "source": "plain negative act",
                "forms": {"": f"often {habit}", "neg": f"never {habit}"},
            }
            for habit, cluster in HABITS.items()
        },
    })  # fmt: skip
    _write(pack / "templates" / "club.yaml", {
        "format": 1, "class": "club", "templates": {
            place: {
                "takes": "habit", "context": f"[subj1] met [subj2] at the {place}.",
                "question": "Who [p_act]?", "negated": "Who [p_act:neg]?",
            }
            for place in CONTEXTS
        },
    })  # fmt: skip


def write_item_study(folder: Path, models: Sequence[str]) -> None:
    """Write a study of NLI items in ``folder`` that asks ``models`` and keeps all items."""
    _write(folder / "study.yaml", {
        "format": 1, "name": "planted-items", "about": _MADE_UP, "templates": ["templates"],
        "filter": {"candidates": ["plain"], "models": list(models), "rule": {"lowest_neutral": 1.0}},
        "models": {model: {"canaries_waived": _WAIVED} for model in models},
        "validate": {"judge": "rule"},
        "release": {"name": "planted-items", "version": "0.1.0", "license": "cc-by-4.0"},
    })  # fmt: skip
    of_group = {value: name for name, value in GROUPS.items()}
    for k, stereotype in enumerate(STEREOTYPES):
        _write(folder / "templates" / f"stereotype_{k + 1}.yaml", {
            "format": 1, "stereotype": stereotype, "domain": "clubs", "language": "en", "about": _MADE_UP,
            "source": "invented for tests (2026)",
            "groups": {"GROUP1": of_group[1], "GROUP2": of_group[-1]},
            "premises": [{"text": text, "source": "https://example.org/clubs"} for text in PREMISES],
            "hypotheses": [{"text": f"{{{{GROUP1}}}} {verb} at meetings."} for verb in VERBS[k::2]],
        })  # fmt: skip


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
