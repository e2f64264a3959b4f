"""A model folder without a tokenizer is refused: transformers would read every text as unknown words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import transformers

from nextset.errors import ModelError
from nextset.scoring.models.loading import load
from nextset.scoring.models.missing_tokenizer import check_words
from nextset.scoring.models.sources import BUILTIN, locate


def _without_tokenizer(name: str, folder: Path) -> Path:
    shutil.copytree(BUILTIN / name, folder)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink()
    return folder


@pytest.mark.parametrize(
    ("name", "auto_class"),
    [
        ("masked-lm", "AutoModelForMaskedLM"),
        ("masked-lm", "AutoModel"),
        ("nli-roberta", "AutoModelForSequenceClassification"),
        ("nli-albert", "AutoModelForSequenceClassification"),
    ],
)
def test_a_folder_without_a_tokenizer(tmp_path: Path, name: str, auto_class: str) -> None:
    folder = _without_tokenizer(name, tmp_path / name)
    with pytest.raises(ModelError, match="has no tokenizer with words") as found:
        load(locate(str(folder)), auto_class, device="cpu")
    assert "tokenizer.json" in found.value.remedy


@pytest.mark.parametrize("kind", ["t5", "mbart", "gpt2", "xlm-roberta"])
def test_pieces_without_letters_are_no_words(tmp_path: Path, kind: str) -> None:
    transformers.AutoConfig.for_model(kind).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="no tokenizer"):
        check_words(transformers.AutoTokenizer.from_pretrained(tmp_path), "a model")


def test_a_tokenizer_with_one_word(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n猫\n", encoding="utf-8")
    transformers.BertConfig().save_pretrained(tmp_path)
    check_words(transformers.AutoTokenizer.from_pretrained(tmp_path), "a model")
