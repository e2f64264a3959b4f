"""Own models: a user's function from texts to probabilities, and a loaded model with its tokenizer."""

from __future__ import annotations

import hashlib
import inspect
import itertools
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from tokenize import TokenError
from typing import Any, Protocol, cast

from nextset.errors import InputError, ModelError
from nextset.open_table import OpenTable
from nextset.own_code import OwnCode, is_own_code, own_file_content
from nextset.records.content_ids import content_id
from nextset.scoring.models.sources import PACKAGED, ModelSource, OwnFunction, OwnModel, locate
from nextset.study.scoring_settings import ModelSettings

__all__ = ["SCORERS", "OwnScoring", "function_source", "object_source", "own_or_located"]


class OwnScoring(Protocol):
    """A user's scorer: a function from inputs to probabilities."""

    def __call__(self, inputs: Sequence[Any], /) -> Any:
        """Return the probabilities of the labels of ``inputs``, shape (inputs, labels); each row sums to 1.

        The inputs are at most 256 objects with named texts, and the labels have a fixed order:

        - nli: `Pair` (premise, hypothesis); entailment, neutral, contradiction
        - qa: `YesNoQuestion` (premise, question); yes, maybe, no
        - question: `Question` (context, question, subjects, spans); the two subjects, no answer
        - statement: `Statement` (context, statement, candidates, clusters); the two candidates
        - choice: `ChoiceQuestion` (context, question, options, unknown); the options, one column for each of
          the question that has the most, with 0 or NaN in places without an option, or rows of different
          lengths

        The classes are those of `nextset.scoring.scorer_protocol`. The result is an array, or rows of
        numbers. The same inputs must give the same probabilities, in any batch.
        """
        ...


SCORERS: OpenTable[OwnScoring] = OpenTable("nextset.scorers", "scorer")
"""The scorers of installed packages; a study names one as scorer:NAME."""


_NUMBERS = itertools.count(1)


def own_or_located(
    name: str,
    base: Path,
    resolve: Callable[[str], Path],
    own_code: Callable[[str], OwnCode],
    settings: ModelSettings | None = None,
) -> ModelSource:
    """Return the model ``name``: a function FILE.py:NAME, scorer:NAME, or a model as in `locate`.

    ``resolve`` returns the path of FILE. ``own_code`` returns the function and is called when the model is
    first asked, so that no file runs only to name a model. ``server`` is the server of openai:MODEL. The
    digest of scorer:NAME covers the version of its package and the file of its module; without such a file,
    only the version. Raises ModelError, and StudyError for a file that cannot be read.
    """
    if is_own_code(name):
        return _file_source(name, resolve, own_code)
    if name.startswith(PACKAGED):
        scorer = name.removeprefix(PACKAGED)
        if scorer not in SCORERS:
            known = ", ".join(f"{PACKAGED}{n}" for n in SCORERS.names)
            raise ModelError(
                f"no installed package has a scorer {scorer!r}",
                remedy=f"use one of {known}" if known else "install the package that registers it",
            )
        of_package = SCORERS.package(scorer), SCORERS.module_digest(scorer)
        digest = content_id("own scorer", scorer, *of_package)
        return ModelSource(name, None, digest, digest, own=OwnFunction(lambda: SCORERS[scorer]))
    return locate(name, base, settings)


def _file_source(
    name: str, resolve: Callable[[str], Path], own_code: Callable[[str], OwnCode]
) -> ModelSource:
    """Return the model of a function in a file; its digest is that of the file and the function's name."""
    file, function = name.rsplit(":", 1)
    content = own_file_content(name, resolve, None)

    def read() -> Callable[[Sequence[Any]], Any]:
        code = own_code(name)
        if code.source != content:  # its scores would be stored under the digest of the earlier content
            raise InputError("the file was changed during the run", file=code.file, remedy="run this again")
        if not callable(code.function):
            raise code.wrong("it is not a function", "the probabilities from a function of the inputs")
        return cast("Callable[[Sequence[Any]], Any]", code.function)

    digest = content_id("own scorer", function, hashlib.sha256(content).hexdigest())
    return ModelSource(name, None, digest, digest, own=OwnFunction(read, resolve(file), content))


def function_source(function: Callable[[Sequence[Any]], Any]) -> ModelSource:
    """Return the model of a function of a running program; its digest is that of its name and source."""
    name = getattr(function, "__name__", type(function).__name__)
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError, SyntaxError, TokenError):
        # a callable object, a function that was typed into a prompt, or one in a file that is not Python
        source = ""
    own = OwnFunction(lambda: function, stored=False, number=next(_NUMBERS))
    digest = content_id("function", getattr(function, "__module__", ""), name, source)
    return ModelSource(name, None, digest, digest, own=own)


def object_source(model: Any, tokenizer: Any) -> ModelSource:
    """Return the model of transformers ``model`` with its ``tokenizer``, which are used as they are.

    Its digest is that of the weights. Raises ModelError if they are no model and no fast tokenizer.
    """
    if not hasattr(model, "state_dict") or not hasattr(model, "config"):
        raise ModelError(
            f"a {type(model).__name__} is not a model of transformers",
            remedy="give (model, tokenizer), or a function from inputs to probabilities",
        )
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"a {type(tokenizer).__name__} is not a fast tokenizer", remedy="load it with AutoTokenizer"
        )
    digest = _weights_digest(model)
    settings = model.config.to_json_string()
    identity = content_id("model object", digest, settings, tokenizer.backend_tokenizer.to_str())
    name = str(getattr(model.config, "name_or_path", "") or type(model).__name__)
    name = name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]  # a path could contain a user's name
    return ModelSource(name, None, digest, identity, own=OwnModel(model, tokenizer))


def _weights_digest(model: Any) -> str:
    import torch

    state = blake2b(digest_size=16)
    for name, tensor in sorted(model.state_dict().items()):
        values = tensor.detach().cpu().contiguous()
        state.update(f"{name} {values.dtype} {tuple(values.shape)}\n".encode())
        state.update(values.flatten().view(torch.uint8).numpy().tobytes())
    return state.hexdigest()
