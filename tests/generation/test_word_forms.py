"""The lexicon: categories, forms and inflection of English words, and what it does not load."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextset.generation.templates.question_inflection import question_words
from nextset.generation.word_forms import english_words
from nextset.study.mask_constraint import FORMS, MaskConstraint
from nextset.word_lists.lexicon import read_lexicon


@pytest.mark.parametrize(
    ("word", "is_one", "is_none"),
    [
        ("calm", ["adj", "adj.positive", "verb.base"], ["adj.comparative", "noun.plural"]),
        ("happier", ["adj", "adj.comparative"], ["adj.positive", "verb"]),
        ("dropped", ["verb", "verb.past", "verb.participle"], ["verb.base", "adj"]),
        ("taken", ["verb.participle"], ["verb.past"]),
        ("drops", ["verb.third", "noun.plural"], ["verb.base", "noun.singular"]),
        ("children", ["noun", "noun.plural"], ["noun.singular"]),
        ("violence", ["noun.singular"], ["noun.plural"]),  # the table repeats a mass noun as its plural
        ("kindness", ["noun.singular"], ["noun.plural"]),  # also where the mass noun ends in s
        ("business", ["noun.singular"], ["noun.plural"]),
        ("politics", ["noun.singular"], ["noun.plural"]),
        ("news", ["noun.singular"], ["noun.plural"]),
        ("clothes", ["noun.plural"], []),
        ("losses", ["noun.plural"], ["noun.singular"]),
        ("series", ["noun.singular", "noun.plural"], []),
        ("rent", ["verb.base", "noun"], ["verb.past", "verb.participle"]),  # listed as the past of rend
        ("people", ["noun.plural"], ["noun.singular"]),
        ("sheep", ["noun.singular", "noun.plural"], []),
        ("poor", ["adj"], ["noun"]),  # listed as a noun without a plural
        ("boring", ["adj", "verb.ing"], ["noun"]),
        ("loving", ["adj"], ["noun"]),
        ("reading", ["verb.ing", "noun"], ["adj"]),  # listed as an adjective, and as a noun
        ("caring", ["adj", "verb.ing"], ["noun"]),  # an adjective that the table lacks
        ("slowly", ["adv"], ["adj"]),
        ("xqzv", [], ["adj", "adv", "noun", "verb"]),
    ],
)
def test_the_categories_and_forms_of_a_word(word: str, is_one: list[str], is_none: list[str]) -> None:
    words = english_words()
    for spelling in (word, word.capitalize()):
        assert [c for c in is_one if not words.is_one_of(spelling, [c])] == []
        assert [c for c in is_none if words.is_one_of(spelling, [c])] == []


@pytest.mark.parametrize(
    ("word", "takes", "form", "expected"),
    [
        ("dropped", "verb.past", "verb.base", "drop"),
        ("found", "verb.past", "verb.base", "find"),
        ("found", "verb.base", "verb.past", "founded"),
        ("left", "verb.past", "verb.ing", "leaving"),
        ("installed", "verb.past", "verb.base", "install"),  # instal has the same past
        ("bathed", "verb.past", "verb.base", "bathe"),  # so has bath
        ("lay", "verb.past", "verb.base", "lie"),
        ("feed", "", "verb.base", "feed"),  # listed as the past of fee
        ("rent", "verb", "verb.third", "rents"),
        ("Ran", "verb", "verb.third", "Runs"),
        ("children", "noun", "noun.singular", "child"),
        ("good", "adj", "adj.comparative", "better"),
        ("violence", "noun", "noun.plural", None),
        ("calm", "adj", "verb.base", None),
        ("gave up", "", "verb.base", "give up"),
        ("basket makers", "", "noun.singular", "basket maker"),
        ("violence", "noun", "", "violence"),
    ],
)
def test_a_word_is_inflected_for_its_question(word: str, takes: str, form: str, expected: str | None) -> None:
    constraint = MaskConstraint((takes,) if takes else ())
    assert question_words([word], [constraint], [form]) == (None if expected is None else [expected])


@pytest.mark.parametrize(
    ("takes", "form", "pairs"),
    [
        (
            "noun.plural",
            "noun.singular",
            # the table has house-wife, letters, currie, lense and orgie beside the usual entries
            "housewives housewife, letters letter, curries curry, lenses lens, orgies orgy, movies "
            "movie, feelings feeling, taxis taxi, leaves leaf, websites website, congressmen "
            "congressman, wives wife, lives life, women woman, analyses analysis, criteria criterion, "
            "bases base, nannies nanny, mice mouse, ladies lady, potatoes potato, glasses glass, bodies "
            "body, shoes shoe, series series, news -, clothes -, cattle -, scissors -",
        ),
        (
            "noun.singular",
            "noun.plural",
            "aircraft aircraft, okay okays, dive dives, why whys, bar bars, county counties, gallery "
            "galleries, superhero superheroes, wife wives, man men, roof roofs, hero heroes, photo "
            "photos, city cities, toy toys, church churches, stomach stomachs, knife knives, belief "
            "beliefs, proof proofs, child children, tooth teeth, sheep sheep, cactus cactuses, crisis "
            "crises, mother-in-law mothers-in-law, person people, vertebra vertebrae, "
            "violence -",
        ),
        (
            "verb.base",
            "verb.participle",
            "run run, stay stayed, learn learned, mimic mimicked, broadcast broadcast, babysit babysat, "
            "redo redone, torpedo torpedoed, program programmed, wake woken, forgo forgone, focus "
            "focused, zinc zincked, ski skied, control controlled, occur occurred, write written, go "
            "gone, take taken, come come, begin begun, eat eaten, know known, put put, cut cut, panic "
            "panicked, die died, carry carried, offer offered, prefer preferred, over-come over-come, quit "
            "quit, knit knitted, bear borne, misspell misspelled, heave heaved, show shown, sew sewn",
        ),
        (
            "verb.participle",
            "verb.base",
            # the table has only knit, mown, misspelt and hove
            "knitted knit, knit knit, mowed mow, mown mow, misspelled misspell, heaved heave, born bear, "
            "borne bear, quit quit, wedded wed, relayed relay, showed show",
        ),
        (
            "verb.past",
            "verb.base",
            "overcame overcome, rewrote rewrite, underwent undergo, rebuilt rebuild, developed develop, "
            "overtook overtake, redid redo, premiered premiere, learnt learn, travelled travel, saw "
            "see, ran run, went go, bought buy, taught teach, led lead, fell fall, hid hide, lay lie, "
            "read read, tried try, hoped hope, hopped hop, quit quit",
        ),
        (
            "verb.base",
            "verb.ing",
            "mimic mimicking, tar tarring, taxi taxiing, blue bluing, ante anteing, forgo forgoing, awe "
            "awing, lie lying, die dying, see seeing, agree agreeing, hope hoping, hop hopping, run "
            "running, begin beginning, visit visiting, dye dyeing, singe singeing, picnic picnicking, "
            "play playing, control controlling",
        ),
        (
            "verb.base",
            "verb.third",
            "torpedo torpedoes, okay okays, redo redoes, fulfil fulfils, instill instills, overwrite "
            "overwrites, psych psychs, go goes, do does, fly flies, play plays, watch watches, fix "
            "fixes, miss misses, have has, echo echoes, say says, buzz buzzes, try tries",
        ),
        (
            "adj.positive",
            "adj.comparative",
            "free freer, true truer, blue bluer, vague vaguer, eerie eerier, mad madder, brusque "
            "brusquer, loyal -, wrong -, good better, bad worse, far further, big bigger, happy "
            "happier, nice nicer, shy shyer, dry drier, sad sadder, clever cleverer, narrow narrower, "
            "simple simpler, cool cooler, beautiful -",
        ),
    ],
)  # fmt: skip
def test_the_standard_form_of_a_word(takes: str, form: str, pairs: str) -> None:
    words = english_words()
    expected = dict(pair.split() for pair in pairs.split(", "))
    assert {word: words.inflected(word, [takes], form) or "-" for word in expected} == expected


def test_a_word_without_a_part_of_speech_is_a_form_of_the_usual_entry() -> None:
    """The second source: nextset's own lexicon, which people wrote."""
    words, lexicon = english_words(), read_lexicon()
    for by_name in (lexicon.nouns.model_dump(), lexicon.verbs.model_dump()):
        for entries in by_name.values():
            for entry, written in entries.items():
                if isinstance(written, str):
                    pairs = [(entry, "noun.plural", written), (written, "noun.singular", entry)]
                else:
                    forms = zip(("third", "past", "participle", "ing"), written, strict=True)
                    pairs = [(entry, f"verb.{form}", spelling) for form, spelling in forms]
                for word, form, expected in pairs:
                    assert words.inflected(word, (), form) in (expected, None), (word, form)


@given(st.deferred(lambda: st.sampled_from(sorted(english_words().readings))), st.sampled_from(FORMS))
def test_an_inflected_word_has_the_form_or_there_is_none(word: str, form: str) -> None:
    words = english_words()
    found = words.inflected(word, (), form)
    assert found is None or words.is_one_of(found, [form]) or found.lower() not in words.readings


def test_the_lexicon_reads_a_table_and_no_pickle() -> None:
    code = (
        "import sys\n"
        "from nextset.generation.word_forms import english_words\n"
        "assert english_words().is_one_of('calm', ['adj'])\n"
        "assert not {'lemminflect', 'spacy', 'pickle'} & sys.modules.keys() - before\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys, pyarrow, pydantic\nbefore = set(sys.modules)\n" + code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
