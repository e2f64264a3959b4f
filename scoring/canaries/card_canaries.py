"""The canaries in a model's own card: YAML at the top of its README.md."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from pydantic import ValidationError

from nextset.errors import ModelError
from nextset.scoring.models.sources import ModelSource, builtin_names, locate
from nextset.study.scoring_settings import CanaryPair, CardQuestion

__all__ = ["card_canaries"]

MAX_BYTES = 100_000
"""The maximum number of bytes of a card that are read."""
MAX_CASES = 100
FRONT_MATTER = re.compile(r"---\r?\n(.*?\n)---\r?\n", re.DOTALL)


def card_canaries(source: ModelSource) -> tuple[CanaryPair | CardQuestion, ...]:
    """Return the cases under nextset.canaries at the top of the README.md in the model's folder.

    A copy of a built-in model without its card has the cases of the original; for other models without cases,
    the result is empty. Raises ModelError, naming the file, if the cases are malformed.
    """
    if source.folder is None:
        return ()
    own = _cases(source.folder / "README.md")
    original = None if own else _original(source)
    return own if original is None else _cases(original / "README.md")


def _original(source: ModelSource) -> Path | None:
    """Return the folder of the built-in model with the same weights; None if there is no such model."""
    built_in = (locate(f"builtin:{name}") for name in builtin_names())
    return next((model.folder for model in built_in if model.digest == source.digest), None)


def _cases(file: Path) -> tuple[CanaryPair | CardQuestion, ...]:
    """Return the cases in a card; empty if there is no card, or if it has no section of nextset."""
    try:
        with file.open("rb") as stream:
            top = FRONT_MATTER.match(stream.read(MAX_BYTES).decode("utf-8-sig", "replace"))
    except OSError:
        return ()
    if top is None or not re.search(r"^nextset:", top[1], re.MULTILINE):
        return ()
    try:
        ours = yaml.safe_load(top[1])["nextset"]
        if isinstance(ours, dict) and "no_answer" in ours and "canaries" not in ours:
            return ()  # the section has only other settings
        written = ours["canaries"]
        if not isinstance(written, list) or not 0 < len(written) <= MAX_CASES:
            raise ValueError(f"it must be a list of 1 to {MAX_CASES} cases")
        return tuple(
            (CanaryPair if "premise" in case else CardQuestion).model_validate(case) for case in written
        )
    except ValidationError as e:
        error = e.errors(include_url=False)[0]
        problem = f"{'.'.join(str(x) for x in error['loc'])}: {error['msg']}"
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as e:
        # PyYAML raises any of these for a tag that its value does not fit, such as `!!timestamp x`
        problem = (str(e) or type(e).__name__).splitlines()[0]
    raise ModelError(
        f"nextset.canaries in {file} cannot be read: {problem}",
        remedy="write a list of {premise, hypothesis, label}, or of {context, question, answer, other}",
    )
