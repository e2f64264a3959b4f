"""The tokens that a causal language model on this machine writes after a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nextset.scoring.models.library_errors import library_errors
from nextset.scoring.models.loading import Loaded

__all__ = ["end_tokens", "written_tokens"]


def written_tokens(
    loaded: Loaded,
    ids: Sequence[int],
    most: int,
    temperature: float = 0.0,
    seed: int = 0,
    ended: Callable[[Sequence[int]], bool] | None = None,
) -> list[int]:
    """Return at most ``most`` tokens that ``loaded`` writes after ``ids``, with the token that ends a text.

    With ``temperature`` 0, it always takes the likeliest token. It also ends if ``ended`` returns True for
    the tokens written so far. Raises ModelError if the model cannot write.
    """
    import torch
    import transformers

    ends = end_tokens(loaded)
    sampling: dict[str, Any] = {"do_sample": False}
    if temperature > 0:
        # all tokens can be drawn, regardless of the limits in the model's own generation_config
        sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
    config = transformers.GenerationConfig(
        max_new_tokens=most, eos_token_id=ends or None, pad_token_id=ends[0] if ends else 0, **sampling
    )  # type: ignore[no-untyped-call]

    def stop(tokens: Any, *_: Any, **__: Any) -> Any:
        stopped = ended is not None and ended(tokens[0, len(ids) :].tolist())
        return torch.tensor([stopped], device=tokens.device)

    device = loaded.device
    read = torch.tensor([list(ids)], device=device)
    with (
        library_errors(f"{loaded.name} cannot write", "choose a different model"),
        torch.inference_mode(),
        torch.random.fork_rng([device] if device.type == "cuda" else []),
    ):
        torch.manual_seed(seed)
        output = loaded.model.generate(
            read,
            attention_mask=torch.ones_like(read),
            generation_config=config,
            stopping_criteria=transformers.StoppingCriteriaList([stop] if ended else []),
        )
    new: list[int] = output[0, len(ids) :].tolist()
    return new


def end_tokens(loaded: Loaded) -> list[int]:
    """Return the tokens that end a text: the model's, else the tokenizer's."""
    own = getattr(loaded.model.generation_config, "eos_token_id", None)
    own = loaded.tokenizer.eos_token_id if own is None else own
    if own is None:
        return []
    return list(own) if isinstance(own, list) else [own]
