"""A tokenizer of whole words for recurrent readers, with the frequent words of texts as its vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["SPECIAL_TOKENS", "word_tokenizer"]

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special tokens; their ids are their places in this list. [CLS] stands for no answer."""


def word_tokenizer(
    texts: Iterable[str],
    *,
    at_least: int = 1,
    most: int | None = None,
) -> PreTrainedTokenizerFast:
    """Return a fast tokenizer that lowercases, and splits at spaces and punctuation.

    Its vocabulary is the words that occur in ``texts`` ``at_least`` this often, limited to the ``most``
    frequent words (ties in alphabetical order). All other words become one token, [UNK], so a reader cannot
    distinguish them.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast

    normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    splitter = pre_tokenizers.BertPreTokenizer()

    def split(text: str) -> list[str]:
        return [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]

    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split(text))
    frequent = sorted((w for w, n in counts.items() if n >= at_least), key=lambda w: (-counts[w], w))
    words = dict.fromkeys((*SPECIAL_TOKENS, *frequent[:most]))
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, SPECIAL_TOKENS.index(token)) for token in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip
