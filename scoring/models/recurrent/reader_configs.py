"""The configurations of the recurrent readers, as in config.json."""

from __future__ import annotations

from huggingface_hub.dataclasses import strict
from transformers import PreTrainedConfig

__all__ = ["BidafReaderConfig", "LstmReaderConfig", "RecurrentReaderConfig"]


@strict
class RecurrentReaderConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]
    """The fields that all recurrent readers have; their defaults are the sizes of Mao et al. 2021."""

    vocab_size: int = 1000
    """The number of words of the tokenizer, special tokens included."""
    word_size: int = 300
    """The size of a word's vector."""
    hidden_size: int = 100
    """The size of the layers, and of an LSTM per direction."""
    dropout: float | int = 0.2
    """The share of values that training drops between layers."""
    initializer_range: float = 0.3
    """The standard deviation of random word vectors, about that of GloVe's vectors."""
    fixed_words: bool = False
    """True if training does not change the word vectors."""
    max_position_embeddings: int = 512
    """The maximum input length in tokens. The layers could read more; the limit is for time and memory."""
    pad_token_id: int | None = 0
    """The padding token."""
    cls_token_id: int = 2
    """The first token of an input, which stands for no answer."""
    sep_token_id: int = 3
    """The token after the question, and after the context."""


@strict
class LstmReaderConfig(RecurrentReaderConfig):  # type: ignore[no-untyped-call]
    """The configuration of the LSTM reader (`nextset.scoring.models.recurrent.lstm_reader`)."""

    model_type = "nextset_lstm_reader"


@strict
class BidafReaderConfig(RecurrentReaderConfig):  # type: ignore[no-untyped-call]
    """The configuration of BiDAF (`nextset.scoring.models.recurrent.bidaf_reader`)."""

    model_type = "nextset_bidaf_reader"
