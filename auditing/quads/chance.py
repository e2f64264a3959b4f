"""How much chance raises μ and η, and what their intervals are drawn from.

A mean of maxima or of absolute values is larger if its parts vary more, also without any preference. Two
estimates say how much larger: noise of the size that the draws show is added to the preferences once more, as
they were measured, and as they are if the noise is taken out of their size (λ). The first corrects too little
if many preferences are small, the second too much if few are large; an interval covers both.

The interval's width is that of a mean whose signs and largest preferences are those of the value itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from nextset.array_types import Floats
from nextset.cluster_bootstrap import DRAWS, SEED, level_weights

__all__ = ["RaisedValues", "Size", "TemplateChance", "joined", "raised_values"]

AT_ONCE = 64
"""The number of draws that are evaluated at a time."""

Size = Callable[[Floats, Floats | None], Floats]
"""Returns a measure, shape (parts, draws), of preferences, shape (cells…, draws). With the preferences that
signs and maxima are taken from, shape (cells…, 1), it is the mean with these signs and at these places."""


@dataclass(frozen=True)
class RaisedValues:
    """A measure that chance raises, for all parts of a grouping."""

    linear: Floats
    """The value, then those of the draws and without one template, with the signs and largest preferences of
    the value itself; shape (rows of weights, parts)."""
    raised: Floats
    """By how much chance raises the value, by two estimates, shape (2, parts)."""
    null: Floats
    """What chance gives by itself in each draw, shape (draws, parts)."""


def raised_values(size: Size, rows: Floats, templates: int, *, complete: bool) -> RaisedValues:
    """Return the values of ``size`` for preferences in all ``rows`` of weights, shape (cells…, rows).

    ``complete``: the quads have all pairs of their subjects in all templates, so that no other partners are
    left to draw: the noise is that of templates alone.
    """
    point = rows[..., :1]
    squares = sum(np.nansum(noise**2, axis=-1) for noise in _noise(rows, templates, complete=complete))
    smaller = np.sqrt(_preferred_share(point[..., 0], squares / DRAWS)) * point
    nulls, raised, shrunk = [], [], []
    for noise in _noise(rows, templates, complete=complete):
        nulls.append(size(noise, None))
        raised.append(size(point + noise, None))
        shrunk.append(size(smaller + noise, None))
    by = [
        _mean(np.concatenate(parts, axis=-1)) - size(at, None)[:, 0]
        for parts, at in ((raised, point), (shrunk, smaller))
    ]
    linear = size(rows, point).T
    if complete and templates > 1:
        (weights,) = level_weights((templates,))
        linear[1 : 1 + DRAWS] = linear[0] + weights[1:] @ _residuals(linear[1 + DRAWS :].T).T / templates
    return RaisedValues(linear, np.array(by), np.concatenate(nulls, axis=-1).T)


@dataclass
class TemplateChance:
    """The same for the preferences of one template, of which only pairs are drawn, portion by portion."""

    point: Floats | None = None
    smaller: Floats | None = None
    portions: list[tuple[Floats, ...]] = field(default_factory=list)

    def add(self, size: Size, rows: Floats) -> None:
        """Add a portion of the rows of weights; the first portion begins with the value itself, and its
        draws give λ."""
        if self.point is None or self.smaller is None:
            self.point = rows[..., :1].copy()
            squares = _mean((rows - self.point)[..., 1:] ** 2)
            self.smaller = np.sqrt(_preferred_share(self.point[..., 0], squares)) * self.point
        noise = rows - self.point
        self.portions.append(
            (size(rows, self.point), size(rows, None), size(self.smaller + noise, None), size(noise, None))
        )

    def values(self) -> RaisedValues:
        """Return how much chance raises the measure."""
        linear, raised, shrunk, null = (np.concatenate(p, axis=-1) for p in zip(*self.portions, strict=True))
        draws = slice(1, 1 + DRAWS)
        by = [_mean(values[:, draws]) - values[:, 0] for values in (raised, shrunk)]
        return RaisedValues(linear.T, np.array(by), null[:, draws].T)


def joined(parts: Sequence[RaisedValues]) -> RaisedValues:
    """Return the values of several parts as those of one grouping."""
    return RaisedValues(
        *(np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("linear", "raised", "null"))
    )


def _preferred_share(preferences: Floats, noise: Floats) -> float:
    """Return λ, the share of the sum of squares of ``preferences`` that is not due to ``noise``.

    ``noise`` has the mean squares of their noise, in the same shape.
    """
    total = np.nansum(preferences**2)
    return max(0.0, 1.0 - float(np.nansum(noise) / total)) if total else 0.0


def _noise(rows: Floats, templates: int, *, complete: bool) -> Iterator[Floats]:
    """Yield `DRAWS` draws of the differences from the underlying preferences, shape (cells…, draws)."""
    if complete and templates > 1:
        residuals = _residuals(rows[..., 1 + DRAWS :])
        # All draws have one length: in a draw that repeats one template, all preferences vary more.
        weights = np.random.default_rng((SEED, 2)).normal(size=(DRAWS, templates))
        weights -= weights.mean(axis=1, keepdims=True)
        weights /= np.sqrt(templates * (weights**2).sum(axis=1, keepdims=True))
        for start in range(0, DRAWS, AT_ONCE):
            yield residuals @ weights[start : start + AT_ONCE].T
        return
    # draws of n templates vary less than new templates would, by the factor √((n − 1) / n)
    scale = np.sqrt(templates / (templates - 1)) if templates > 1 else 1.0
    for start in range(1, 1 + DRAWS, AT_ONCE):
        yield scale * (rows[..., start : min(start + AT_ONCE, 1 + DRAWS)] - rows[..., :1])


def _residuals(left_out: Floats) -> Floats:
    """Return how far each template is from the mean, from the values without each, shape (…, templates)."""
    n = left_out.shape[-1]
    residuals: Floats = (n - 1) * (left_out.mean(axis=-1, keepdims=True) - left_out)
    return residuals


def _mean(values: Floats) -> Floats:
    """Return the mean over draws, ignoring NaN; NaN if all are NaN."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(there, values, 0.0).sum(axis=-1) / there.sum(axis=-1)
    return means
