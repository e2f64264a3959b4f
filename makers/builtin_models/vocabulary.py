"""The vocabulary of the built-in models: whole words of the lexicon, and small pieces for all other words."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping

from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import WordPiece
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from nextset.word_lists.lexicon import Lexicon

__all__ = ["MAX_LENGTH", "SPECIALS", "build_tokenizer", "lexicon_words"]

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""Special tokens; their ids are their positions here."""
MAX_LENGTH = 256
"""The longest input of every built-in model, in tokens."""
ENDINGS = (
    "s",
    "es",
    "ed",
    "d",
    "ing",
    "er",
    "ers",
    "ly",
    "y",
    "al",
    "ion",
    "ment",
    "ness",
    "able",
    "est",
    "ity",
)


def build_tokenizer(lexicon: Lexicon, *, lowercase: bool, segments: bool) -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer with every word of the lexicon as one token.

    With ``segments``, it also gives the model the segment of each token: the first or the second text.
    """
    words = lexicon_words(lexicon)
    tokens = sorted({w.lower() for w in words} if lowercase else words)
    letters = [*string.ascii_letters, *string.digits, *string.punctuation]
    pieces = [f"##{x}" for x in (*string.ascii_letters, *string.digits, *ENDINGS)]
    vocabulary = dict.fromkeys((*SPECIALS, *letters, *pieces, *tokens))
    model = WordPiece({t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]")
    tokenizer = Tokenizer(model)
    steps = [normalizers.NFC(), *([normalizers.Lowercase()] if lowercase else [])]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )  # fmt: skip
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, model_max_length=MAX_LENGTH, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        model_input_names=["input_ids", *(["token_type_ids"] if segments else []), "attention_mask"],
    )  # fmt: skip


def lexicon_words(lexicon: Lexicon) -> frozenset[str]:
    """Return every word of the lexicon in every form, also with a capital if it can begin a sentence."""
    words = {part for text in _texts(lexicon.model_dump()) for part in text.split()}
    return frozenset(w for w in words | {w.capitalize() for w in _plurals(lexicon)} if w.isalnum())


def _plurals(lexicon: Lexicon) -> Iterable[str]:
    for nouns in (lexicon.nouns.occupations, lexicon.nouns.people, lexicon.groups["gender"]):
        yield from (nouns.values() if isinstance(nouns, Mapping) else nouns)


def _texts(data: object) -> Iterable[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _texts(value)
