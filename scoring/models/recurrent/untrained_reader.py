"""A recurrent reader before its training: random weights, and word vectors from a file if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nextset.scoring.models.recurrent.word_vectors import WordVectors, read_word_vectors
from nextset.study.training_settings import ReaderArchitecture

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from nextset.scoring.models.recurrent.recurrent_reader import RecurrentReader

__all__ = ["ReaderSizes", "UntrainedReader", "untrained_reader"]


@dataclass(frozen=True)
class ReaderSizes:
    """The sizes of a recurrent reader; the defaults are those of Mao et al. 2021."""

    hidden_size: int = 100
    """The size of the layers, and of the LSTMs per direction."""
    word_size: int = 300
    """The size of random word vectors; vectors from a file have their own size."""
    dropout: float = 0.2
    """The share of values that training drops between layers."""
    max_length: int = 512
    """The maximum input length in tokens."""


@dataclass(frozen=True)
class UntrainedReader:
    """A recurrent reader with its tokenizer."""

    model: RecurrentReader
    """The model, in float32."""
    tokenizer: PreTrainedTokenizerFast
    """The model's tokenizer."""


def untrained_reader(
    architecture: ReaderArchitecture,
    tokenizer: PreTrainedTokenizerFast,
    sizes: ReaderSizes | None = None,
    *,
    word_vectors: Path | None = None,
    seed: int = 0,
) -> UntrainedReader:
    """Return a reader of ``architecture`` with the vocabulary of ``tokenizer`` (see
    `nextset.scoring.models.recurrent.word_tokenizer.word_tokenizer`).

    With ``word_vectors``, a text file in GloVe's format, training does not change word vectors, as in the
    published code; words that are not in the file get random vectors. The random weights depend only on
    ``seed``. Raises InputError for a file that cannot be read.
    """
    import torch

    from nextset.scoring.models.recurrent.bidaf_reader import BidafReaderForQuestionAnswering
    from nextset.scoring.models.recurrent.lstm_reader import LstmReaderForQuestionAnswering
    from nextset.scoring.models.recurrent.reader_registration import register_recurrent_readers

    register_recurrent_readers()
    sizes = sizes or ReaderSizes()
    tokenizer.model_max_length = sizes.max_length
    vocabulary = tokenizer.get_vocab()
    special = set(tokenizer.all_special_tokens)
    vectors = None
    if word_vectors is not None:
        vectors = read_word_vectors(word_vectors, {word for word in vocabulary if word not in special})
    classes: dict[ReaderArchitecture, Any] = {
        "lstm_reader": LstmReaderForQuestionAnswering,
        "bidaf": BidafReaderForQuestionAnswering,
    }
    reader = classes[architecture]
    config = reader.config_class(
        vocab_size=len(tokenizer),
        word_size=sizes.word_size if vectors is None else vectors.size,
        hidden_size=sizes.hidden_size,
        dropout=sizes.dropout,
        fixed_words=vectors is not None,
        max_position_embeddings=sizes.max_length,
        pad_token_id=tokenizer.pad_token_id,
        cls_token_id=tokenizer.cls_token_id,
        sep_token_id=tokenizer.sep_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = reader(config)
    if vectors is not None:
        _put(model, vocabulary, vectors)
    return UntrainedReader(model.eval(), tokenizer)


def _put(model: RecurrentReader, vocabulary: dict[str, int], found: WordVectors) -> None:
    """Give words their vectors; the random vectors of other words are scaled to the same spread."""
    import torch

    table = model.words.table
    rows = torch.tensor([vocabulary[word] for word in found.vectors])
    vectors = torch.stack([torch.from_numpy(vector) for vector in found.vectors.values()])
    with torch.no_grad():
        table.weight.mul_(vectors.std(correction=0) / model.config.initializer_range)
        table.weight[rows] = vectors
