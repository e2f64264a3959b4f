"""95 % intervals and p-values of measures from the draws of `nextset.cluster_bootstrap`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nextset.array_types import Floats
from nextset.cluster_bootstrap import DRAWS, Support
from nextset.counted import counted
from nextset.interval import Z95, wilson

__all__ = [
    "FEW",
    "LEVEL",
    "DrawnMeasure",
    "Ends",
    "Intervals",
    "intervals",
    "note_on_templates",
    "raised_intervals",
    "too_few",
]

LEVEL = 0.95
FEW = 5
"""With fewer templates than this there are no percentiles: the range of four values misses their true mean in
one of eight cases. With fewer pairs of subjects there is no interval."""
AT_ONCE = 2048
"""The number of values whose intervals are computed at a time."""
UNDEFINED_AT_MOST = 0.05
"""The share of draws that may leave a measure undefined; with more, there is no interval."""

Codes = npt.NDArray[np.int64]
Ends = tuple[float | None, float | None]
"""The lower and the upper end of a 95 % interval; None if there is too little to draw from."""


@dataclass(frozen=True)
class Intervals:
    """The 95 % intervals of several values."""

    low: Floats
    """The lower ends, shape (values,); NaN if there is none."""
    high: Floats
    """The upper ends."""
    p: Floats
    """The two-sided p-values of differences from 0; NaN if there is none."""

    def within(self, least: float, most: float = 1.0) -> Intervals:
        """Return the same for values that lie in [``least``, ``most``]."""
        return replace(self, low=np.clip(self.low, least, most), high=np.clip(self.high, least, most))

    def reflected(self, point: Floats) -> Intervals:
        """Return the same for values ``point`` that cannot fall below 0, and that chance raises.

        The interval covers both the percentiles of the draws and those of 2 · point − draws, within [0, 1].
        """
        low, high = np.minimum(self.low, 2 * point - self.high), np.maximum(self.high, 2 * point - self.low)
        return replace(self, low=low, high=high).within(0)

    def ends(self, place: int = 0) -> Ends:
        """Return the ends of one interval."""
        low, high = float(self.low[place]), float(self.high[place])
        return (None, None) if np.isnan(low) else (low, high)

    def p_value(self, place: int = 0) -> float | None:
        """Return the p-value of one difference; None if there is none."""
        return None if np.isnan(self.p[place]) else float(self.p[place])


@dataclass(frozen=True)
class DrawnMeasure:
    """A measure over a set of rows, in all draws."""

    values: Floats
    """The value and those of the draws, shape (rows of `nextset.cluster_bootstrap.Clusters.weights`,)."""
    sizes: tuple[int, ...]
    """The number of levels of each factor that is drawn."""
    support: Support | None = None
    """What the templates of items say about it; None for quads."""
    raised: Floats | None = None
    """For a measure that chance raises, by how much, by two estimates, shape (2,)
    (`nextset.auditing.quads.chance`)."""

    def minus(self, other: DrawnMeasure, *, known: bool) -> DrawnMeasure:
        """Return the difference of this measure and the ``other``, from the same draws.

        ``known``: if both are the same in every draw, the difference is 0 by definition, not because few
        templates show it.
        """
        both = self.support is not None and other.support is not None
        if known and np.array_equal(self.values, other.values, equal_nan=True):
            both = False
        return DrawnMeasure(
            self.values - other.values,
            tuple(min(a, b) for a, b in zip(self.sizes, other.sizes, strict=True)),
            self.support.minus(other.support) if both and self.support and other.support else None,
            None if self.raised is None or other.raised is None else self.raised - other.raised,
        )

    def interval(self) -> Intervals:
        """Return the interval and the p-value of a difference."""
        if self.raised is not None:
            return raised_intervals(self.values, self.sizes, self.raised.reshape(2, 1))
        return intervals(self.values, self.sizes, support=self.support)


def too_few(n: int, units: str) -> str:
    """Return the note on a value without an interval, because too few ``units`` carry it.

    ``n`` is the number that can be drawn. It can be `FEW` or more if the value is undefined for most of them.
    """
    if n >= FEW:
        return f"no interval: too few of the {counted(n, units)} have rows that count"
    return f"no interval: {counted(n, units)}, and at least {FEW} are needed"


def note_on_templates(templates: int) -> str | None:
    """Return the note on an interval of quads of few ``templates``; None with `FEW` or more."""
    if templates == 1:
        return "one template: the interval says nothing about other templates"
    return f"{templates} templates: the interval is that of a t-test, and wide" if templates < FEW else None


def intervals(
    values: Floats, sizes: Sequence[int | Codes], *, share: bool = False, support: Support | None = None
) -> Intervals:
    """Return the intervals of ``values``, shape (rows of `Clusters.weights`, values) or (rows,).

    ``sizes`` has the number of levels of each factor, one number or one for each value. The ends are
    percentiles of the draws, the farther out the fewer clusters there are (Hesterberg 2015, The American
    Statistician 69, the expanded percentile interval). With two factors, the degrees of freedom follow
    Satterthwaite, from the variance between the values without one level of the first factor; with two to
    four levels of it, percentiles cannot lie outside what so few templates show, and the interval is that of
    a t-test. The p-value is the level at which an end would be 0; where no draw is beyond 0, that of the
    t-test. Two levels of the first factor give none.

    ``share``: values are shares, in [0, 1]; otherwise they are differences.

    ``support`` is what clusters of items say about one value. The degrees of freedom are those of its
    effective clusters, and for a difference of the clusters that carry it. If fewer than `FEW` carry it,
    percentiles mean little: the interval then also covers Wilson's interval of the effective rows, and a
    difference has no p-value. Without ``support``, a share that is 0 or 1 in all draws has Wilson's interval
    of the number of its clusters; with two factors, of the number of levels of the smaller factor.
    """
    values = values.reshape(len(values), -1)
    if values.shape[1] > AT_ONCE:  # intermediate results are larger than the values
        blocks = _blocks(values.shape[1], sizes)
        return _joined([intervals(values[:, at], of_block, share=share) for at, of_block in blocks])
    drawn = _Draws.of(values, sizes)
    few = False
    if support is not None:
        carriers = support.carriers(share=share)
        few = carriers < FEW
        drawn = drawn.of_clusters(support.clusters if share else min(support.clusters, carriers))
    ends = _by_few_templates(drawn, _percentiles(drawn))
    if support is not None and few:
        ends = _with_few(ends, drawn.point, support.rows, share=share)
    elif share and support is None:
        ends = _with_wilson(ends, drawn)
    return drawn.known_of(ends.within(0) if share else ends)


def raised_intervals(
    values: Floats, sizes: Sequence[int | Codes], raised: Floats, null: Floats | None = None
) -> Intervals:
    """Return the intervals of ``values`` that chance raises by ``raised``, by two estimates.

    ``raised`` has the shape (2, values); ``values`` and ``sizes`` are as for `intervals`, with the draws of
    `nextset.auditing.quads.chance`. The interval is that of a t-test about both corrected values. ``null``
    has the values that chance gives by itself, shape (draws, values): if it can explain the value, the lower
    end is 0; values are then in [0, 1].
    """
    values = values.reshape(len(values), -1)
    if values.shape[1] > AT_ONCE:
        return _joined(
            [
                raised_intervals(
                    values[:, at], of_block, raised[:, at], None if null is None else null[:, at]
                )
                for at, of_block in _blocks(values.shape[1], sizes)
            ]
        )
    drawn = _Draws.of(values, sizes)
    ends = _t_test(drawn, raised)
    if null is not None:
        explained = drawn.point <= _by_chance(null.reshape(len(null), -1), drawn.freedom)
        ends = replace(ends, low=np.where(explained, 0.0, ends.low)).within(0)
    return drawn.known_of(ends)


def _blocks(n: int, sizes: Sequence[int | Codes]) -> Iterator[tuple[slice, list[Codes]]]:
    of_values = [np.broadcast_to(np.asarray(size), (n,)) for size in sizes]
    for start in range(0, n, AT_ONCE):
        at = slice(start, start + AT_ONCE)
        yield at, [size[at] for size in of_values]


def _joined(parts: Sequence[Intervals]) -> Intervals:
    return Intervals(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "p"))
    )


@dataclass(frozen=True)
class _Draws:
    """Values and their draws, shape (draws, values), and what these say of how far the values vary."""

    point: Floats
    draws: Floats
    counts: Sequence[Floats]
    """The number of levels of each factor."""
    freedom: Floats
    error: Floats

    @classmethod
    def of(cls, values: Floats, sizes: Sequence[int | Codes]) -> _Draws:
        point, draws, left_out = values[0], values[1 : 1 + DRAWS], values[1 + DRAWS :]
        counts = [np.broadcast_to(np.asarray(size, np.float64), point.shape) for size in sizes]
        spread = _spread(left_out, counts)
        freedom = _degrees_of_freedom(draws, spread, counts)
        return cls(point, draws, counts, freedom, _standard_error(draws, spread, counts))

    def of_clusters(self, n: float) -> _Draws:
        """Return the same with the degrees of freedom of at most ``n`` clusters."""
        return replace(self, freedom=np.maximum(np.minimum(self.freedom, n - 1), 1))

    def known_of(self, ends: Intervals) -> Intervals:
        """Return ``ends`` where there is enough to draw from, and NaN elsewhere."""
        defined = (~np.isnan(self.draws)).mean(axis=0) >= 1 - UNDEFINED_AT_MOST
        known = ~np.isnan(self.point) & (self.counts[-1] >= FEW) & defined
        return Intervals(*(np.where(known, array, np.nan) for array in (ends.low, ends.high, ends.p)))

    @property
    def few_templates(self) -> npt.NDArray[np.bool_]:
        """Whether the first of two factors has two to four levels."""
        few = (self.counts[0] > 1) & (self.counts[0] < FEW)
        return few if len(self.counts) > 1 else np.zeros_like(few)


def _spread(left_out: Floats, counts: Sequence[Floats]) -> Floats:
    """Return the jackknife variance of values without one level of the first factor; 0 without such."""
    if len(counts) == 1 or not len(left_out):
        return np.zeros(counts[0].shape)
    n = counts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread: Floats = (n - 1) / n * _variance(left_out) * np.count_nonzero(~np.isnan(left_out), axis=0)
    return np.where(np.isfinite(spread) & (n > 1), spread, 0.0)


def _degrees_of_freedom(draws: Floats, spread: Floats, counts: Sequence[Floats]) -> Floats:
    freedom: Floats = np.maximum(counts[-1] - 1, 1)
    if len(counts) == 1:
        return freedom
    n = counts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.clip(spread / _variance(draws), 0, 1)
        satterthwaite = 1 / (part**2 / np.maximum(n - 1, 1) + (1 - part) ** 2 / freedom)
    return np.where(np.isfinite(satterthwaite) & (n > 1), satterthwaite, freedom)


def _standard_error(draws: Floats, spread: Floats, counts: Sequence[Floats]) -> Floats:
    """Return the standard error: draws of n templates vary less than new templates would, by the factor
    √((n − 1) / n)."""
    n = counts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = _variance(draws)
        one_factor = len(counts) == 1
        variance = variance * n / np.maximum(n - 1, 1) if one_factor else variance + spread / n
    error: Floats = np.sqrt(variance)
    return error


def _variance(values: Floats) -> Floats:
    """Return the population variance of each column, ignoring NaN; NaN for a column without values."""
    known = ~np.isnan(values)
    n = np.count_nonzero(known, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0).sum(axis=0) / n
        squares = np.where(known, (values - mean) ** 2, 0.0)
        variance: Floats = squares.sum(axis=0) / n
    return variance


def _expanded(freedom: Floats) -> Floats:
    """Return the level of the lower percentile, at most 2.5 %."""
    from scipy.stats import norm, t

    level: Floats = norm.cdf(np.sqrt((freedom + 1) / freedom) * t.ppf((1 - LEVEL) / 2, freedom))
    return level


def _quantiles(draws: Floats, levels: Floats) -> Floats:
    """Return a quantile of each column, ignoring NaN."""
    ordered = np.sort(draws, axis=0)  # NaN comes last
    place = levels * np.maximum(np.count_nonzero(~np.isnan(draws), axis=0) - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.ceil(place).astype(np.int64)
    columns = np.arange(draws.shape[1])
    low, high = ordered[below, columns], ordered[above, columns]
    quantiles: Floats = low + (high - low) * (place - below)
    return quantiles


def _percentiles(drawn: _Draws) -> Intervals:
    with np.errstate(invalid="ignore", divide="ignore"):
        level = _expanded(drawn.freedom)
        low, high = _quantiles(drawn.draws, level), _quantiles(drawn.draws, 1 - level)
        return Intervals(low, high, _p_values(drawn))


def _p_values(drawn: _Draws) -> Floats:
    """Return the p-values at which an end of the interval would be 0; draws of 0 count half."""
    from scipy.stats import norm, t

    draws, freedom = drawn.draws, drawn.freedom
    known = np.count_nonzero(~np.isnan(draws), axis=0)
    below = np.count_nonzero(draws < 0, axis=0) + 0.5 * np.count_nonzero(draws == 0, axis=0)
    beyond = np.minimum(below, known - below)
    z = -norm.ppf(np.maximum(beyond, 0.5) / np.maximum(known, 1)) / np.sqrt((freedom + 1) / freedom)
    shown: Floats = 2 * t.sf(z, freedom)
    tested = 2 * t.sf(np.abs(drawn.point) / drawn.error, freedom)
    return np.where((beyond == 0) & (drawn.error > 0), np.minimum(shown, tested), shown)


def _by_few_templates(drawn: _Draws, ends: Intervals) -> Intervals:
    """Return the intervals of t-tests where templates are few, and ``ends`` elsewhere."""
    few = drawn.few_templates
    if not few.any():
        return ends
    tested = _t_test(drawn, np.zeros((2, len(drawn.point))))
    return Intervals(
        *(np.where(few, getattr(tested, name), getattr(ends, name)) for name in ("low", "high", "p"))
    )


def _t_test(drawn: _Draws, shifts: Floats) -> Intervals:
    """Return the intervals and p-values of t-tests about values minus their ``shifts``, shape (2, values)."""
    from scipy.stats import t

    point, error, freedom = drawn.point, drawn.error, drawn.freedom
    with np.errstate(invalid="ignore", divide="ignore"):
        half = t.ppf((1 + LEVEL) / 2, freedom) * error
        low, high = point - shifts.max(axis=0) - half, point - shifts.min(axis=0) + half
        nearest = np.abs(point - shifts).min(axis=0)
        crossed = ((point - shifts) > 0).any(axis=0) & ((point - shifts) < 0).any(axis=0)
        size = np.where(crossed, 0.0, nearest)
        p = np.where(error > 0, 2 * t.sf(size / error, freedom), _p_values(drawn))
    # the variance of two templates is hardly known
    return Intervals(low, high, np.where(drawn.few_templates & (drawn.counts[0] < 3), np.nan, p))


def _by_chance(null: Floats, freedom: Floats) -> Floats:
    """Return the most that chance by itself gives: the mean of ``null`` and t times its deviation above."""
    from scipy.stats import t

    known = ~np.isnan(null)  # a draw may lack all rows of a part
    with np.errstate(invalid="ignore"):
        mean = np.where(known, null, 0.0).sum(axis=0) / known.sum(axis=0)
    upper = _quantiles(null, np.full(mean.shape, (1 + LEVEL) / 2)) - mean
    most: Floats = mean + upper * t.ppf((1 + LEVEL) / 2, freedom) / Z95
    return most


def _with_few(ends: Intervals, point: Floats, rows: float, *, share: bool) -> Intervals:
    """Return the interval and p-value, corrected for a value that few clusters carry."""
    with np.errstate(invalid="ignore", divide="ignore"):
        z = Z95**2 / np.float64(rows)
        centre = (point + z / 2) / (1 + z)
        half = np.sqrt(np.maximum(point * (1 - point), 0) * z + z**2 / 4) / (1 + z)
        if not share:
            centre, half = point, np.full(point.shape, z / (1 + z))  # as wide as Wilson's interval of no hits
    return Intervals(
        np.minimum(ends.low, centre - half),
        np.maximum(ends.high, centre + half),
        ends.p if share else np.full(point.shape, np.nan),
    )


def _with_wilson(ends: Intervals, drawn: _Draws) -> Intervals:
    """Return ``ends``, and Wilson's interval for a share that is 0 or 1 in all draws.

    It is that of the levels of the smallest factor; factors with one level do not vary and do not count.
    """
    varying: Floats = np.array([np.where(n > 1, n, np.inf) for n in drawn.counts])
    fewest = varying.min(axis=0)
    clusters = np.where(np.isinf(fewest), 1.0, fewest)
    low, high = ends.low.copy(), ends.high.copy()
    for extreme in (0.0, 1.0):
        alike = np.all((drawn.draws == extreme) | np.isnan(drawn.draws), axis=0)
        for i in np.flatnonzero((drawn.point == extreme) & alike):
            interval = wilson(extreme * clusters[i], clusters[i])
            if interval is not None:
                low[i], high[i] = interval.low, interval.high
    return replace(ends, low=low, high=high)
