"""The bootstrap for all intervals of measures: it draws whole clusters, since the rows of one are alike.

NLI items are drawn by the template of their hypothesis (within its stereotype), quads by template and by pair
of subjects. The same rows have the same clusters and draws everywhere, so a share has the same interval in
all reports.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nextset.array_types import Floats
from nextset.counted import counted
from nextset.interval import Z95, wilson
from nextset.records.hypothesis_patterns import hypothesis_patterns

__all__ = [
    "DRAWS",
    "FEW",
    "LEVEL",
    "SEED",
    "Clusters",
    "Ends",
    "Intervals",
    "crossed_clusters",
    "effective_rows",
    "intervals",
    "level_weights",
    "pair_clusters",
    "template_clusters",
    "too_few",
]

DRAWS = 1000
"""The number of bootstrap samples."""
SEED = 0
LEVEL = 0.95
FEW = 5
"""With fewer templates (for quads: pairs of subjects) than this there is no interval: the range of four
values misses their true mean in one of eight cases."""
AT_ONCE = 2048
"""The number of values whose intervals are computed at a time."""
ALIKE = 0.3
"""The correlation of answers within a cluster that is assumed if too few clusters show it."""
RARE = 0.01
"""With this share of draws at 0 or 1, fewer than five clusters carry a value: a draw lacks all of k clusters
with a probability of about e⁻ᵏ."""
UNDEFINED_AT_MOST = 0.05
"""The share of draws that may leave a measure undefined; with more, there is no interval."""

Codes = npt.NDArray[np.int64]
Ends = tuple[float | None, float | None]
"""The lower and the upper end of a 95 % interval; None if there is too little to draw from."""


@dataclass(frozen=True)
class Clusters:
    """The cells of some rows. A cell is a level of one factor, or a pair of levels of two crossed factors."""

    codes: Codes
    """The cell of each row, shape (rows,)."""
    levels: tuple[Codes, ...]
    """For each factor, the level of each cell, shape (cells,)."""
    sizes: tuple[int, ...]
    """The number of levels of each factor."""
    drawn: str
    """The drawn clusters, as text: templates, or templates and pairs of subjects."""

    @property
    def n(self) -> int:
        """The number of cells."""
        return len(self.levels[0])

    @property
    def units(self) -> int:
        """The number of levels of the last factor: templates for NLI items, pairs of subjects for quads."""
        return self.sizes[-1]

    def of_rows(self, rows: npt.NDArray[np.intp]) -> Clusters:
        """Return the clusters of only ``rows``."""
        cells, codes = np.unique(self.codes[rows], return_inverse=True)
        levels = [np.unique(of_cell[cells], return_inverse=True) for of_cell in self.levels]
        return Clusters(
            codes.astype(np.int64),
            tuple(places.astype(np.int64) for _, places in levels),
            tuple(len(names) for names, _ in levels),
            self.drawn,
        )

    def weights(self, at_once: int = 1 + DRAWS) -> Iterator[Floats]:
        """Yield how often each cell counts, shape (some rows, cells), in portions of ``at_once`` rows.

        The first row is 1 for all cells. The next `DRAWS` rows are draws: a cell counts as often as each of
        its levels was drawn with replacement, multiplied (the pigeonhole bootstrap of Owen 2007, Annals of
        Applied Statistics 1). With two factors, further rows each exclude one level of the first factor.
        """
        factors = self.factor_weights()
        for start in range(0, len(factors[0]), at_once):
            counts = np.ones((min(at_once, len(factors[0]) - start), self.n))
            for weights, levels in zip(factors, self.levels, strict=True):
                counts *= weights[start : start + at_once, levels]
            yield counts

    def factor_weights(self) -> tuple[Floats, ...]:
        """Return how often each level of each factor counts, shape (rows, levels); rows as in `weights`."""
        return level_weights(self.sizes)

    def sums(self, amounts: Floats) -> Floats:
        """Return the sums over all cells of ``amounts``, shape (…, cells), for all rows of weights.

        The result has the shape (1 + draws + excluded levels, …).
        """
        flat = amounts.reshape(np.prod(amounts.shape[:-1], dtype=int), self.n).T
        portions = [weights @ flat for weights in self.weights(100 if self.n > 10_000 else 1 + DRAWS)]
        totals: Floats = np.concatenate(portions)
        return totals.reshape(len(totals), *amounts.shape[:-1])


def too_few(n: int, units: str) -> str:
    """Return the note on a value without an interval, because only ``n`` ``units`` can be drawn."""
    return f"no interval: {counted(n, units)}, and at least {FEW} are needed"


def level_weights(sizes: Sequence[int]) -> tuple[Floats, ...]:
    """Return how often each level of factors of ``sizes`` counts: arrays of shape (rows, levels).

    The first row is 1, and `DRAWS` rows are draws. With two factors, one more row for each level of the first
    factor excludes that level, if there are two or more.
    """
    left_out = sizes[0] if len(sizes) > 1 and sizes[0] > 1 else 0
    by_factor = []
    for factor, n in enumerate(sizes):
        weights = np.ones((1 + DRAWS + left_out, n))
        weights[1 : 1 + DRAWS] = _drawn(n, factor)
        if factor == 0 and left_out:
            weights[1 + DRAWS :] -= np.eye(n)
        by_factor.append(weights)
    return tuple(by_factor)


def template_clusters(items: pa.Table, patterns: Mapping[str, str] | None = None) -> Clusters:
    """Return the clusters of NLI items: the hypothesis's pattern within its stereotype.

    ``items`` has the column stereotype and `nextset.records.hypothesis_patterns.PATTERN_COLUMNS`;
    ``patterns`` has those of templates whose text is known.
    """
    named = pa.chunked_array([hypothesis_patterns(items, dict(patterns or {}))])
    keys = pc.binary_join_element_wise(
        pc.fill_null(pc.cast(items["stereotype"], pa.string()), ""), named, "\0"
    )
    codes, n = _codes(keys)
    return Clusters(codes, (np.arange(n),), (n,), "templates")


def pair_clusters(templates: pa.ChunkedArray, first: pa.ChunkedArray, second: pa.ChunkedArray) -> Clusters:
    """Return the clusters of quads: the template crossed with the unordered pair of subjects."""
    one, other = (pc.cast(column, pa.string()) for column in (first, second))
    swapped = pc.greater(one, other)
    pairs = pc.binary_join_element_wise(
        pc.if_else(swapped, other, one), pc.if_else(swapped, one, other), "\0"
    )
    (by_template, n_templates), (by_pair, n_pairs) = _codes(templates), _codes(pairs)
    return crossed_clusters(by_template, n_templates, by_pair, n_pairs)


def crossed_clusters(templates: Codes, n_templates: int, pairs: Codes, n_pairs: int) -> Clusters:
    """Return the clusters of quads from the codes of their templates and pairs, each of shape (rows,)."""
    joint = templates * n_pairs + pairs
    there = np.zeros(n_templates * n_pairs, np.bool_)
    there[joint] = True
    place = np.cumsum(there) - 1
    cells = np.flatnonzero(there)
    return Clusters(
        place[joint],
        (cells // n_pairs, cells % n_pairs),
        (n_templates, n_pairs),
        "templates and pairs of subjects",
    )


@dataclass(frozen=True)
class Intervals:
    """The 95 % intervals of several values."""

    low: Floats
    """The lower ends, shape (values,); NaN if there is none."""
    high: Floats
    """The upper ends."""
    p: Floats
    """The two-sided p-values of differences from 0; NaN if there is none."""

    def ends(self, place: int = 0) -> Ends:
        """Return the ends of one interval."""
        low, high = float(self.low[place]), float(self.high[place])
        return (None, None) if np.isnan(low) else (low, high)

    def p_value(self, place: int = 0) -> float | None:
        """Return the p-value of one difference; None if there is none."""
        return None if np.isnan(self.p[place]) else float(self.p[place])


def intervals(
    values: Floats,
    sizes: Sequence[int | Codes],
    *,
    share: bool = False,
    reflected: bool = False,
    effective: float | Floats | None = None,
    null: Floats | None = None,
) -> Intervals:
    """Return the intervals of ``values``, shape (rows of `Clusters.weights`, values) or (rows,).

    ``sizes`` has the number of levels of each factor, one number or one for each value. The intervals are
    percentiles of the draws, the farther out the fewer clusters there are (Hesterberg 2015, The American
    Statistician 69, the expanded percentile interval). With two factors, the degrees of freedom follow
    Satterthwaite, from the variance between the values without one level of the first factor.

    ``share``: values are shares, in [0, 1]; otherwise they are differences. If fewer than five clusters carry
    a value (at least one draw in a hundred is 0, or 1), percentiles mean little: the interval then also
    covers Wilson's interval of ``effective`` independent rows (`effective_rows`), and a difference has no
    p-value. Without ``effective``, a share that is 0 or 1 in all draws has Wilson's interval of the number of
    its clusters; with two factors, of the number of levels of the smaller factor.

    ``reflected``: values cannot fall below 0, and chance raises them (means of absolute values or of maxima).
    Reflecting the draws at the value corrects for chance, but also reverses their skewness, so the interval
    covers both the percentiles of the draws and those of the reflected draws; the ends are in [0, 1].
    ``null`` has the same statistic for the draws' differences from the underlying values: if chance by itself
    can explain the value, the lower end is 0.
    """
    values = values.reshape(len(values), -1)
    if values.shape[1] > AT_ONCE:  # intermediate results are larger than the values
        blocks = [slice(start, start + AT_ONCE) for start in range(0, values.shape[1], AT_ONCE)]
        known = [np.broadcast_to(np.asarray(size), values.shape[1:]) for size in sizes]
        parts = [
            intervals(
                values[:, block],
                [size[block] for size in known],
                share=share,
                reflected=reflected,
                effective=None if effective is None else np.broadcast_to(effective, values.shape[1:])[block],
                null=None if null is None else null.reshape(len(null), -1)[:, block],
            )
            for block in blocks
        ]
        return Intervals(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "p"))
        )
    point, draws, left_out = values[0], values[1 : 1 + DRAWS], values[1 + DRAWS :]
    counts = [np.broadcast_to(np.asarray(size, np.float64), point.shape) for size in sizes]
    defined = ~np.isnan(draws)
    known = ~np.isnan(point) & (counts[-1] >= FEW) & (defined.mean(axis=0) >= 1 - UNDEFINED_AT_MOST)
    freedom = _degrees_of_freedom(draws, left_out, counts)
    with np.errstate(invalid="ignore"):
        low = _quantiles(draws, _expanded(freedom))
        high = _quantiles(draws, 1 - _expanded(freedom))
        p = _p_values(draws, freedom)
    if effective is not None:
        rows = np.broadcast_to(np.asarray(effective, np.float64), point.shape)
        low, high, p = _with_few(Intervals(low, high, p), draws, point, rows, share=share)
    elif share:
        low, high = _with_wilson(low, high, draws, point, _fewest(counts))
    if reflected:  # the percentiles of 2 · point − draws
        ends = np.minimum(low, 2 * point - high), np.maximum(high, 2 * point - low)
        low, high = np.clip(ends[0], 0, 1), np.clip(ends[1], 0, 1)
    if null is not None:
        low = np.where(point <= _by_chance(null.reshape(len(null), -1), counts, freedom), 0.0, low)
    return Intervals(*(np.where(known, array, np.nan) for array in (low, high, p)))


@functools.lru_cache(maxsize=8)
def _drawn(n: int, factor: int) -> Floats:
    """Return how often each draw has each of ``n`` levels, shape (draws, levels); all 1 for one level."""
    if not n:
        return np.zeros((DRAWS, 0))
    drawn = np.random.default_rng((SEED, factor)).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return drawn.astype(np.float64)


def _codes(column: pa.ChunkedArray) -> tuple[Codes, int]:
    """Return the place of each value among the sorted distinct values, and the number of these."""
    encoded = pc.cast(column, pa.string()).combine_chunks().dictionary_encode()
    rank = np.empty(len(encoded.dictionary), np.int64)
    rank[np.asarray(pc.sort_indices(encoded.dictionary))] = np.arange(len(rank))
    return rank[np.asarray(encoded.indices)], len(rank)


def _degrees_of_freedom(draws: Floats, left_out: Floats, counts: Sequence[Floats]) -> Floats:
    freedom: Floats = np.maximum(counts[-1] - 1, 1)
    if len(counts) == 1 or not len(left_out):
        return freedom
    n = counts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = (n - 1) / n * _variance(left_out) * np.count_nonzero(~np.isnan(left_out), axis=0)
        part = np.clip(spread / _variance(draws), 0, 1)
        satterthwaite = 1 / (part**2 / np.maximum(n - 1, 1) + (1 - part) ** 2 / freedom)
    return np.where(np.isfinite(satterthwaite) & (n > 1), satterthwaite, freedom)


def _variance(values: Floats) -> Floats:
    """Return the population variance of each column, ignoring NaN; NaN for a column without values."""
    known = ~np.isnan(values)
    n = np.count_nonzero(known, axis=0)
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


def _p_values(draws: Floats, freedom: Floats) -> Floats:
    """Return the p-values at which an end of the interval would be 0; draws of 0 count half."""
    from scipy.stats import norm, t

    known = np.count_nonzero(~np.isnan(draws), axis=0)
    below = np.count_nonzero(draws < 0, axis=0) + 0.5 * np.count_nonzero(draws == 0, axis=0)
    share = np.clip(below, 0.5, known - 0.5) / np.maximum(known, 1)
    p: Floats = 2 * t.sf(np.abs(norm.ppf(share)) / np.sqrt((freedom + 1) / freedom), freedom)
    return p


def effective_rows(rows: Floats) -> Floats:
    """Return how many independent rows weigh as much as ``rows``, the numbers of rows in clusters.

    ``rows`` has the shape (…, clusters). The correlation within a cluster is assumed to be `ALIKE` (Kish
    1965, the design effect).
    """
    total, squares = rows.sum(axis=-1), (rows**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        effective: Floats = total / (1 + ALIKE * (squares / total - 1))
    return effective


def _with_few(
    found: Intervals, draws: Floats, point: Floats, rows: Floats, *, share: bool
) -> tuple[Floats, Floats, Floats]:
    """Return the intervals and p-values, corrected for values that few clusters carry."""
    known = np.maximum(np.count_nonzero(~np.isnan(draws), axis=0), 1)
    extreme = np.count_nonzero((draws == 0) | (share & (draws == 1)), axis=0)
    few = extreme >= RARE * known
    with np.errstate(invalid="ignore", divide="ignore"):
        z = Z95**2 / rows
        centre = (point + z / 2) / (1 + z)
        half = np.sqrt(np.maximum(point * (1 - point), 0) * z + z**2 / 4) / (1 + z)
        if not share:
            centre, half = point, z / (1 + z)  # the width of Wilson's interval of no hits
    low = np.where(few, np.minimum(found.low, centre - half), found.low)
    high = np.where(few, np.maximum(found.high, centre + half), found.high)
    if share:
        low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
    return low, high, np.where(few & (not share), np.nan, found.p)


def _by_chance(null: Floats, counts: Sequence[Floats], freedom: Floats) -> Floats:
    """Return the most that chance by itself gives: the upper percentile of ``null``.

    Draws from a few templates vary less than new templates would, by the factor √((n − 1) / n).
    """
    scale = np.sqrt(np.where(counts[0] > 1, counts[0] / np.maximum(counts[0] - 1, 1), 1.0))
    upper: Floats = scale * _quantiles(null[1 : 1 + DRAWS], 1 - _expanded(freedom))
    return upper


def _fewest(counts: Sequence[Floats]) -> Floats:
    """Return the levels of the smallest factor; factors with one level do not vary and do not count."""
    fewest: Floats = np.minimum.reduce([np.where(n > 1, n, np.inf) for n in counts])
    return np.where(np.isinf(fewest), 1.0, fewest)


def _with_wilson(
    low: Floats, high: Floats, draws: Floats, point: Floats, clusters: Floats
) -> tuple[Floats, Floats]:
    low, high = low.copy(), high.copy()
    for extreme in (0.0, 1.0):
        for i in np.flatnonzero((point == extreme) & np.all((draws == extreme) | np.isnan(draws), axis=0)):
            interval = wilson(extreme * clusters[i], clusters[i])
            if interval is not None:
                low[i], high[i] = interval.low, interval.high
    return low, high
