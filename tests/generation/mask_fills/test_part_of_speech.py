"""Parts of speech by a real spaCy model: a tiny one, trained here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import spacy

from nextset.errors import ModelError
from nextset.generation.mask_fills.part_of_speech import Tagger, locate_tagger
from nextset.scoring.masks.masked_text import Masked, Prompt
from nextset.study.mask_constraint import FORMS
from tests.generation.mask_fills.tiny_tagger import save_blank, save_tagger

PROMPT = Prompt.alone("The cats are too {{MASK}}.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tagger(tmp_path_factory.mktemp("spacy") / "tiny")


@pytest.fixture(scope="module")
def tagger(folder: Path) -> Tagger:
    return Tagger.load(locate_tagger(folder.name, folder.parent))


def test_a_word_is_judged_in_its_sentence(tagger: Tagger) -> None:
    fillings = [["calm"], ["kettles"], ["lazy"], ["sleep"]]
    assert tagger.fits([["adj"]], PROMPT, fillings) == [True, False, True, False]
    assert tagger.fits([["noun", "verb"]], PROMPT, fillings) == [False, True, False, True]
    assert tagger.fits([["adj"]], PROMPT, []) == []


def test_every_word_of_every_sentence_has_to_fit(tagger: Tagger) -> None:
    two = Prompt.alone("{{MASK}} cats are too {{MASK}}.")
    assert tagger.fits([["adj"], ["adj"]], two, [["calm", "lazy"], ["calm", "kettles"]]) == [True, False]
    assert tagger.fits([[], ["adj"]], two, [["kettles", "lazy"], ["calm", "kettles"]]) == [True, False]
    joint = Prompt((Masked("The cats are too {{MASK}}."), Masked("The kettles are too {{MASK}}.")))
    assert tagger.fits([["adj"]], joint, [["calm"], ["kettles"]]) == [True, False]


@pytest.mark.parametrize(
    ("pos", "features", "category"),
    [
        ("ADJ", "Degree=Cmp", "adj.comparative"),
        ("ADJ", "Degree=Pos", "adj.positive"),
        ("NOUN", "Number=Plur", "noun.plural"),
        ("VERB", "VerbForm=Inf", "verb.base"),
        ("VERB", "Tense=Pres|VerbForm=Fin", "verb.base"),
        ("VERB", "Tense=Past|VerbForm=Fin", "verb.past"),
        ("VERB", "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "verb.third"),
        ("VERB", "Aspect=Prog|Tense=Pres|VerbForm=Part", "verb.ing"),
        ("VERB", "Aspect=Perf|Tense=Past|VerbForm=Part", "verb.participle"),
    ],
)
def test_a_form_is_read_from_the_features_of_the_word(
    tagger: Tagger, pos: str, features: str, category: str
) -> None:
    """The features are those of spaCy's English models; the pipeline sets them, as a rule would."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "calm"}]], {"POS": pos, "MORPH": features})  # type: ignore[attr-defined]
    forms = [form for form in FORMS if Tagger(nlp).fits([[form]], PROMPT, [["calm"]]) == [True]]
    assert forms == [category]


def test_a_word_that_the_tagger_splits_has_the_tag_of_its_last_part(tagger: Tagger) -> None:
    assert len(tagger.nlp("sleep-lazy")) == 3
    assert tagger.fits([["adj"]], PROMPT, [["sleep-lazy"]]) == [True]


def test_the_digest_is_over_the_files(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    first = locate_tagger("tiny", folder.parent)
    assert locate_tagger(str(copy), tmp_path).digest == first.digest
    (copy / "meta.json").write_bytes((copy / "meta.json").read_bytes() + b"\n")
    assert locate_tagger(str(copy), tmp_path).digest != first.digest


@pytest.mark.parametrize("name", ["xx_no_such_model", "./nowhere", "json.nothing"])
def test_a_model_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match="is neither an installed spaCy model nor a folder with one"
    ) as caught:
        locate_tagger(name, tmp_path)
    if name.isidentifier():
        assert caught.value.remedy == f"python -m spacy download {name}"


@pytest.mark.parametrize("name", ["json", "spacy", "numpy", "__main__"])
def test_a_package_that_is_no_spacy_model_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is neither an installed spaCy model nor a folder with one"):
        locate_tagger(name, tmp_path)


def test_a_model_without_tagger_is_refused(tmp_path: Path) -> None:
    save_blank(tmp_path / "blank")
    with pytest.raises(ModelError, match="gives no parts of speech"):
        Tagger.load(locate_tagger("blank", tmp_path))
