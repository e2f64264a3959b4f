"""Arabic one-letter words join the next word, and ل removes the article's alif: ل المغرب is للمغرب."""

from __future__ import annotations

import re

from nextset.generation.sound_rules.named_sound_rule import NamedSoundRule
from nextset.generation.sound_rules.text_edits import Edit

__all__ = ["ARABIC_PREFIXES", "arabic_prefixes"]

_MARKS = "[\u064b-\u0652]*"
_LETTER = "[\u0621-\u063a\u0641-\u064a]"
# Words whose own letters begin with ال: verbal nouns of the eighth form of roots that begin with ل.
_NO_ARTICLE = (
    "(?:التزام|التقاء|التماس|التهاب|التباس|التفات|التحاق|التصاق|التقاط|التئام|التواء|التحام|التهام|التفاف)"
    rf"(?:ات)?(?:ه|ها|هم|هن|هما|ك|كم|نا|ي)?(?!{_LETTER})"
)
# Names and places that are often written without the hamza of أل and إل: الياس for إلياس.
_NO_ARTICLE_NAMES = (
    "(?:الياس|الهام|الياسين|اليسار|اليسا|اليسيا|الينا|الين|اليونور|اليزابيث|اليزابيتا|اليخاندرو|اليكس|اليكسا"
    "|اليكسي|اليكسندر|الكس|الكسي|الكسندر|الكسندرا|الكساندر|الكساندرا|الكترا|الفريد|الفريدو|الفونس"
    "|الفونسو|الفيس|الفين|الفت|الطاف|البرت|البرتو|البير|البان|البانيا|الباني|البانية|البانيون|البانيات|الما"
    "|المانيا|الماني|المانية|المانيون|المانيات|الدو|الدوس|التون|التان|التاي|الاسكا|الباما|البرتا|الزاس)"
    rf"(?!{_LETTER})"
)
_JOIN = "\u0640? ?"  # the dash that lengthens a letter, and a space
_BEFORE = r"(?<![\w\u064b-\u0652])"
_LAM = re.compile(
    rf"{_BEFORE}(?P<prefix>(?:[وف]{_MARKS})?ل{_MARKS}){_JOIN}"
    rf"(?:(?!{_NO_ARTICLE}|{_NO_ARTICLE_NAMES})(?P<article>ال)(?=(?P<lam>ل)?{_LETTER})|(?={_LETTER}))"
)
_OTHER = re.compile(rf"{_BEFORE}(?P<prefix>(?:[وف]{_MARKS})?[بك]{_MARKS}|[وف]{_MARKS}){_JOIN}(?={_LETTER})")


def arabic_prefixes(text: str) -> list[Edit]:
    """Return edits that join و ف ب ك ل to the next word, and that write ل with the article as لل.

    Before a word that itself begins with ل, two of the three remain: ل + اللبناني is للبناني, ل + الله is
    لله. The edit covers the article, so that an answer that began with the article begins with the noun. ال
    stays if it is part of the word: ألمانيا with its hamza, verbal nouns such as التزام, and common names
    without their hamza, such as الياس. Other words without their hamza are treated as words with the article.
    """
    edits = []
    for match in _LAM.finditer(text):
        prefix = match["prefix"]
        if match["article"]:
            new = prefix if match["lam"] else prefix + "ل"
            edits.append(Edit(match.start(), match.end(), new, match.start("article")))
        elif len(match[0]) > len(prefix):
            edits.append(Edit(match.start(), match.end(), prefix, match.end()))
    for match in _OTHER.finditer(text):
        if len(match[0]) > len(match["prefix"]):
            edits.append(Edit(match.start(), match.end(), match["prefix"], match.end()))
    return sorted(edits, key=lambda edit: edit.start)


ARABIC_PREFIXES = NamedSoundRule(
    "arabic-prefixes",
    arabic_prefixes,
    change="ل and ال become لل; و, ف, ب and ك are joined to the next word",
    examples=("ل المغرب", "و المغرب", "ل تركيا"),
    languages=("ar",),
)
