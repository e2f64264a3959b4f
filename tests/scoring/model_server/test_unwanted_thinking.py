"""The warning about thinking that the settings of a model do not want."""

from __future__ import annotations

import pytest

from nextset.scoring.model_server.completion import Completion
from nextset.scoring.model_server.token_usage import Usage
from nextset.scoring.model_server.unwanted_thinking import warn_of_thinking
from nextset.study.scoring_settings import ModelSettings

OFF = ModelSettings(thinking=False)


@pytest.mark.parametrize("thinks", [{"thoughts": "So."}, {"usage": Usage(9, 0, 9, 4)}])
def test_each_model_is_named_once(caplog: pytest.LogCaptureFixture, thinks: dict[str, object]) -> None:
    model = f"openai:{sorted(thinks)[0]}"
    completion = Completion("yes", "stop", **thinks)  # type: ignore[arg-type]
    for settings, answer in (
        (ModelSettings(), completion),
        (OFF, Completion("yes", "stop", usage=Usage(9, 0, 9, 0))),
        (OFF, completion),
        (OFF, completion),
    ):
        warn_of_thinking(model, settings, answer)
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{model}: it thinks, although")
