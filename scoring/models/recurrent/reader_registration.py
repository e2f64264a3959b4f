"""The registration of the recurrent readers in transformers, so that its Auto classes can load them."""

from __future__ import annotations

import functools

__all__ = ["register_reader_configs", "register_recurrent_readers"]


@functools.cache
def register_reader_configs() -> None:
    """Register the configurations of the recurrent readers, once; AutoTokenizer needs them, too."""
    from transformers import AutoConfig

    from nextset.scoring.models.recurrent.reader_configs import BidafReaderConfig, LstmReaderConfig

    for config in (LstmReaderConfig, BidafReaderConfig):
        AutoConfig.register(config.model_type, config)


@functools.cache
def register_recurrent_readers() -> None:
    """Register the recurrent readers and their configurations, once."""
    from transformers import AutoModelForQuestionAnswering

    from nextset.scoring.models.recurrent.bidaf_reader import BidafReaderForQuestionAnswering
    from nextset.scoring.models.recurrent.lstm_reader import LstmReaderForQuestionAnswering

    register_reader_configs()
    for reader in (LstmReaderForQuestionAnswering, BidafReaderForQuestionAnswering):
        AutoModelForQuestionAnswering.register(reader.config_class, reader)
