"""The loss of a reader whose questions come with sentences (after Zhao et al. 2021).

p = S(x₁) / (S(x₁) + S(x₂)) is the share of the first subject in one way to ask a question. q is this share
before training, without a sentence. With D(t, p) = t log(t / p) + (1 − t) log((1 − t) / (1 − p)), the
divergence of p from a target t:

    L = w_ethical · mean D(½, p) + w_adversarial · mean A + w_irrelevant · mean D(q, p) + w_twins · mean T

If the reader should resist, A is D(q, p). If it should follow, A is D(1, p) for q ≥ ½ and D(0, p) otherwise.
T is −log S of the subject that the context of a specified twin names, with S = √(p_start · p_end). Means are
over questions and the four ways to ask them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

__all__ = ["Aim", "divergence", "first_share", "targets", "twin_loss"]

Aim = Literal["equal", "unchanged", "stronger"]
"""The intended effect of a sentence on p: make p ½, keep p at q, or move p further to the side of q."""


def first_share(logs: torch.Tensor) -> torch.Tensor:
    """Return log p and log (1 − p), in the shape of ``logs``, which has log S of both subjects last."""
    import torch

    log_shares: torch.Tensor = torch.log_softmax(logs, -1)
    return log_shares


def targets(before: torch.Tensor, aim: Aim) -> torch.Tensor:
    """Return the target t of each share ``before`` (q), in its shape."""
    import torch

    if aim == "unchanged":
        return before
    if aim == "equal":
        return torch.full_like(before, 0.5)
    stronger: torch.Tensor = (before >= 0.5).to(before)
    return stronger


def divergence(target: torch.Tensor, logs: torch.Tensor) -> torch.Tensor:
    """Return the mean of D, a scalar.

    ``target`` has the shape (…), and ``logs``, which `first_share` returns, the shape (…, 2).
    """
    import torch

    both = torch.stack([target, 1 - target], -1)
    mean: torch.Tensor = (torch.special.xlogy(both, both) - both * logs).sum(-1).mean()
    return mean


def twin_loss(logs: torch.Tensor) -> torch.Tensor:
    """Return the mean of T, a scalar. ``logs`` is log S of the subjects of twins, shape (twins, 4, 2).

    In both contexts, the first subject answers the question and the second subject answers its negation.
    """
    import torch

    return -torch.cat([logs[:, :2, 0], logs[:, 2:, 1]], -1).mean()
