"""French words that lose their vowel before another: *le ami* is *l’ami*, *que elle* is *qu’elle*."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit, SoundRule
from nextset.letter_case import cased_like

__all__ = ["FRENCH_ELISION", "begins_with_vowel_sound", "french_elision"]

_ELIDED = re.compile(
    r"""
    (?<![\w’'-])
    (l[ea] | de | que | [jmtsnc]e | jusque | lorsque | puisque | quoique | si | du | au)
    \ (?=(?:[«“"(][\ \u00a0\u202f]?)*([^\W\d_bcdfgjklmnpqrstvwxzç][\w’'-]*))
    """,
    re.VERBOSE | re.IGNORECASE,
)
# c’est, c’était, c’en; ç’a, ç’avait; before any other word with a vowel, ce is the article cet
_BE = re.compile(r"(?:est|etait|etaient|eut|en)(?!\w)")
_HAVE = re.compile(r"(?:a|avait|avaient|aura|aurait|auraient)(?!\w)")
# le onze, le oui, le ouistiti, le uhlan, le ululement
_SEPARATE = re.compile(r"(?:onz(?:e|ieme)s?|oui|ouistitis?|uhlans?|ulul\w*)(?![\w’'])")
# l’Yonne, d’Yeu, d’yeux, l’Yser, il n’y a; le Yémen, le yaourt
_VOWEL_Y = re.compile(r"y(?:(?:eux|eu|euses?|onne|erres)(?!\w)|(?![aeiouœæ]))")
# Common words whose h counts as a consonant. A pack marks other words, such as names, with h: aspire.
_ASPIRATED = re.compile(
    r"""
    (?: hach[eou] | handicap | hant | harcel | hardi | hasard | hauss | haut | heurt | hideu | hierarchi
      | hockey | hollandais | hondur | hongrois | honteu | houl | huguenot | huit(?!r) | hulul | hurl ) \w*
    | haies? | haine(?:s|ux|use|uses)? | hai[rst] | haiss\w+ | halls? | haltes? | hamacs? | hameaux?
    | hanches? | hangars? | haras | harems? | haricots? | harpes? | hate[sr]? | hatif | hative | havre | haye
    | heros | hiboux? | hippies? | hollande | homards? | hongrie | hontes? | hors | houthis? | huns?
    | hussards? | huttes? | hutus? | hambourg | hanovre | harvard | hmongs?
    | (?: hack | haill | halet | hallebard | hambourgeois | handball | hanovrien | harangu | harass | hargn
      | harnach | hassid | henn | heriss | herni | hessois | hezbollah | hitler | hobb | hoch | hongkong
      | honni | hooligan | hottentot | houspill | huronn | hussit ) \w*
    | habsbourg(?:eois\w*)? | haddocks? | hadiths? | hadjs? | hadji | hakkas? | halal | hale[sr]? | halos?
    | hamas | hammams? | hamsters? | hans? | hannetons? | hanses? | haoussas? | haredim? | harkis?
    | harnais | haro | harpies? | harpistes? | harpons? | hazaras? | hainaut | heraut\w* | herons?
    | hereros? | herses? | hesse | hetres? | hidjabs? | hijabs? | hindi | hip | hipsters? | hisse[sr]?
    | hittites? | hohenzollern | holdings? | hong | hongres? | hopis? | hoquets? | hordes? | hot | hottes?
    | houblons? | houes? | houill\w+ | houppes? | hourras? | houris? | housses? | houx | hublots? | huees?
    | hues? | huppes? | hurons? | hures?
    """,
    re.VERBOSE,
)


def begins_with_vowel_sound(word: str, aspirated: Set[str] = frozenset()) -> bool:
    """Return whether French words elide before ``word``: *l’homme*, *l’ONU*; not *le Yémen*, *le héros*.

    ``aspirated`` are further whole words, in lower case, whose h or vowel counts as a consonant. Capitals
    that begin with h and a consonant are read letter by letter, without elision (*le HLM*).
    """
    first = re.split(r"[’'-]", word, maxsplit=1)[0]
    if {word.casefold(), first.casefold()} & aspirated:
        return False
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)).casefold()
    if bare[:1] == "y":
        return bool(_VOWEL_Y.match(bare))
    if bare[:1] == "h":
        spelt = len(first) > 1 and first.isupper() and bare[1:2] not in "aeiouyœæ"
        return not spelt and not _ASPIRATED.fullmatch(re.split(r"[’'-]", bare, maxsplit=1)[0])
    return bare[:1] in ("a", "e", "i", "o", "u", "œ", "æ") and not _SEPARATE.match(bare)


def french_elision(aspirated: Set[str] = frozenset()) -> SoundRule:
    """Return the rule of elision; ``aspirated`` as in `begins_with_vowel_sound`.

    *du* and *au* are split before a vowel (*du Algérien* is *de l’Algérien*). *ce* becomes *c’* before forms
    of *être* and *cet* before other words. *si* loses its vowel only before *il* and *ils*.
    """

    def rule(text: str) -> list[Edit]:
        edits = []
        for match in _ELIDED.finditer(text):
            word, following = match[1], match[2]
            if not begins_with_vowel_sound(following, aspirated):
                continue
            new = _elided(word.casefold(), following)
            if new is not None:
                edits.append(Edit(match.start(), match.end(), cased_like(new, word), match.start(2)))
        return edits

    return rule


def _elided(word: str, following: str) -> str | None:
    """Return the form of ``word``, in lower case, before ``following``; None if it does not change."""
    if word == "si":
        return "s’" if re.match(r"ils?(?!\w)", following.casefold()) else None
    if word == "ce":
        bare = "".join(c for c in unicodedata.normalize("NFKD", following) if not unicodedata.combining(c))
        if _HAVE.match(bare.casefold()):
            return "ç’"
        return "c’" if _BE.match(bare.casefold()) else "cet "
    return {"du": "de l’", "au": "à l’"}.get(word, f"{word[:-1]}’")


FRENCH_ELISION = NamedSoundRule(
    "french-elision",
    french_elision(),
    change="*le, la, de, que, je, ne …* → *l’, d’, qu’, j’, n’ …* before a vowel or a mute h, but not before "
    "`h: aspire`",
    examples=("le Algérien", "que elle", "du Algérien", "ce Algérien"),
    languages=("fr",),
    after=("french-contraction",),
    with_aspirated=french_elision,
)
