"""French plurals of single words: *ouvriers*, *Français*, *journaux*, *hébreux*."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nextset.generation.derived_forms.form_parts import DerivedForm, base_form
from nextset.generation.slots import Features

__all__ = ["french_plurals"]

_WORD = re.compile(r"[a-zàâäçéèêëîïôöùûüÿœæ]+")
_S_AFTER_U = frozenset({"bleu", "pneu", "émeu", "landau", "sarrau"})
_ALS = re.compile(
    r"""
    bal | cal | carnaval | cérémonial | chacal | festival | fatal | naval | bancal | fractal | tombal |
    aval | narval | serval | gavial | mistral | nopal | récital | régal | sisal | santal | rorqual |
    trial | corral | futal | emmental | emmenthal | bacchanal | caracal | chloral | copal | gayal |
    quetzal | rital | tincal | cantal | mescal | metical | foiral | natal
    """,
    re.VERBOSE,
)
# words with two plurals, or whose plural is a different word
_IRREGULAR = re.compile(
    r"""
    banal | final | glacial | idéal | austral | boréal | pascal | jovial | causal | tonal | choral |
    étal | val | pal | bail | bétail | bercail | virginal | prénatal | postnatal | périnatal | néonatal |
    anténatal | enfeu | richelieu | camaïeu | corail | émail | soupirail | travail | vantail |
    vitrail | ail | lieu |
    bijou | caillou | chou | genou | hibou | joujou | pou | œil | ciel | aïeul | monsieur | madame |
    mademoiselle | bonhomme | gentilhomme
    """,
    re.VERBOSE,
)
# Capitalised words in -al are usually places (Népal), or people with -als
_PEOPLE = re.compile(r"provençal|oriental|occidental")


def french_plurals(forms: Mapping[Features, str], key: Features) -> DerivedForm | None:
    """Return the plural for a ``key`` with the feature pl.

    None for several words, for words with hyphens, for words with two plurals or an irregular one (*final*,
    *travail*), and for capitalised words in -al (*Népal*) that are not people (*Provençal*).
    """
    text = base_form(forms, key - {"pl"}) if "pl" in key else None
    if text is None or not _WORD.fullmatch(text.lower()) or _IRREGULAR.fullmatch(text.lower()):
        return None
    word = text.lower()
    if word[-1] in "sxz":
        return DerivedForm(text, "")
    if word.endswith("al") and text != word and not _PEOPLE.fullmatch(word):
        return None
    if word.endswith("al") and not _ALS.fullmatch(word):
        return DerivedForm(f"{text[:-1]}ux", "")
    takes_x = word.endswith(("eau", "au", "eu", "œu")) and word not in _S_AFTER_U
    return DerivedForm(text + ("x" if takes_x else "s"), "")
