"""A causal language model writes a text to a prompt, by a seed of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nextset.errors import ModelError
from nextset.scoring.generative.causal_writer import CausalWriter
from nextset.scoring.generative.text_writer import text_writer
from nextset.scoring.model_server.completion import CUT_OFF
from nextset.scoring.models.sources import locate
from nextset.scoring.writer_protocol import WritingRequest
from nextset.study.scoring_settings import ModelSettings, ScoringSettings
from tests.scoring.generative.tiny_causal import save_gpt2, save_llama

ASKED = [WritingRequest(f"Read what is known {i}.", 12, 0.7, 0) for i in range(3)]


@pytest.fixture(scope="module", params=[save_gpt2, save_llama])
def writer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CausalWriter:
    folder = request.param(tmp_path_factory.mktemp("writer"))
    found = text_writer(locate(str(folder)), ScoringSettings(), ModelSettings(), "cpu")
    assert isinstance(found, CausalWriter)
    return found


def test_a_text_depends_on_its_own_prompt_and_seed_alone(writer: CausalWriter) -> None:
    together = writer.write(ASKED)
    assert [writer.write([one])[0] for one in reversed(ASKED)] == together[::-1]
    assert len({text.text for text in together}) == 3
    other = [replace(one, seed=1) for one in ASKED]
    assert all(a.text != b.text for a, b in zip(writer.write(other), together, strict=True))


def test_without_temperature_the_seed_changes_nothing(writer: CausalWriter) -> None:
    greedy = [replace(ASKED[0], temperature=0.0, seed=seed) for seed in (0, 1)]
    first, second = writer.write(greedy)
    assert first == second


def test_a_text_that_fills_its_tokens_is_cut_off(writer: CausalWriter) -> None:
    (cut,) = writer.write([replace(ASKED[0], tokens=1, temperature=0.0)])
    assert cut.ending == CUT_OFF


def test_a_prompt_that_is_too_long_is_named(writer: CausalWriter) -> None:
    with pytest.raises(ModelError, match=r"reads at most .* longer texts, 1 of 2: 'known"):
        writer.write([ASKED[0], replace(ASKED[0], prompt="known " * 600)])
