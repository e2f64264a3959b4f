"""The use and the cost of models behind servers, by model and stage, at the study's present prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nextset.artifacts.answer_usage import ServerVersion, StageUsage, server_versions, stage_usage
from nextset.counted import counted
from nextset.records.short_repr import short_repr
from nextset.study.scoring_settings import ServerSettings
from nextset.study.server_prices import token_price
from nextset.study.study_folder import Study

__all__ = ["ServerCost", "ServerCosts", "cost_lines", "money", "server_costs", "version_warnings"]


@short_repr
@dataclass(frozen=True)
class ServerCost:
    """The use of a model behind a server in a stage, and its cost."""

    model: str
    """The model, as the study names it."""
    stage: str
    """The stage, or canaries."""
    answers: int
    """The number of answers that the stage used, and no stage before it."""
    read: int
    """The tokens of their prompts, as the server counted them."""
    cached: int
    """Those that the server had in its own cache."""
    written: int
    """The tokens of the answers, with the thoughts before them."""
    thinking: int
    """Those of thoughts."""
    uncounted: int
    """The number of answers whose tokens the server did not count."""
    cost: float | None
    """The cost of all these answers, stored ones too; null if a price is missing."""
    paid_answers: int
    """The number of answers that this run asked."""
    paid: float | None
    """The cost of the answers that this run asked; null if a price is missing."""


@short_repr
@dataclass(frozen=True)
class ServerCosts:
    """The use and the cost of all models behind servers."""

    rows: tuple[ServerCost, ...] = ()
    """By model and stage, in the order of the stages."""
    warnings: tuple[str, ...] = ()
    """A warning for each model whose server answered with several versions."""
    earlier: tuple[str, ...] = ()
    """The models that the study named earlier; their answers are in no sum."""

    @property
    def cost(self) -> float | None:
        """The cost of all answers; None if a price is missing."""
        return _sum(row.cost for row in self.rows)

    @property
    def paid(self) -> float | None:
        """The cost of the answers that this run asked; None if a price is missing."""
        return _sum(row.paid for row in self.rows)


def server_costs(study: Study, stages: Sequence[str] = ()) -> ServerCosts:
    """Return the use and cost of the answers that ``study`` rests on, in the order of ``stages``.

    Scores that the score cache had need no answers, and are not counted. Models that the study no longer
    names are only listed.
    """
    named = set(study.settings.server_models)
    uses, versions = stage_usage(study.out), server_versions(study.out)
    paid = {(use.stage, use.model): use for use in stage_usage(study.out, "run")}
    rows = [
        _row(use, paid.get((use.stage, use.model)), _settings(study, use.model))
        for use in uses
        if use.model in named
    ]
    place = {stage: n for n, stage in enumerate(("canaries", *stages))}
    rows.sort(key=lambda row: (row.model, place.get(row.stage, len(place)), row.stage))
    earlier = tuple(dict.fromkeys(use.model for use in uses if use.model not in named))
    return ServerCosts(tuple(rows), version_warnings([v for v in versions if v.model in named]), earlier)


def _settings(study: Study, model: str) -> ServerSettings:
    return study.model_settings(model).server.over(study.settings.scoring.server)


def _row(use: StageUsage, paid: StageUsage | None, settings: ServerSettings) -> ServerCost:
    return ServerCost(
        use.model,
        use.stage,
        use.answers,
        use.read,
        use.cached,
        use.written,
        use.thinking,
        use.uncounted,
        _cost(use, settings),
        paid.answers if paid else 0,
        _cost(paid, settings) if paid else 0.0,
    )


def _cost(use: StageUsage, settings: ServerSettings) -> float | None:
    if use.uncounted:
        return None
    return token_price(settings, use.read, use.cached, use.written, use.thinking)


def _sum(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    return None if None in known else sum(cost for cost in known if cost is not None)


def money(cost: float | None) -> str:
    """Return ``cost`` as text: two decimals, or four if it is below 1; unknown for None."""
    if cost is None:
        return "unknown"
    return f"{cost:,.2f}" if cost >= 1 or cost == 0 else f"{cost:.4f}"


def version_warnings(versions: Sequence[ServerVersion]) -> tuple[str, ...]:
    """Return a warning for each model with several of the server's ``versions``, by their days."""
    by_model: dict[str, list[ServerVersion]] = defaultdict(list)
    for version in versions:
        by_model[version.model].append(version)
    return tuple(
        warning for model, several in by_model.items() if (warning := _version_warning(model, several))
    )


def _version_warning(model: str, versions: Sequence[ServerVersion]) -> str:
    named = [version.version for version in versions]
    names = named if len(set(named)) > 1 else [version.fingerprint for version in versions]
    spans: dict[str, tuple[str, str]] = {}
    for name, version in zip(names, versions, strict=True):
        first, last = spans.get(name, (version.first, version.last))
        spans[name] = (min(first, version.first), max(last, version.last))
    ordered = sorted((first, last, name or "no name") for name, (first, last) in spans.items())
    if len(ordered) < 2:
        return ""
    earlier = [f"as {name} until {last or 'an unknown day'}" for _, last, name in ordered[:-1]]
    first, _, newest = ordered[-1]
    since = f"since {first}" if first else "since an unknown day"
    return (
        f"{model} answered {', '.join(earlier)}, and as {newest} {since}: the server changed the model, and "
        "scores from before and after may differ"
    )


def cost_lines(costs: ServerCosts, *, this_run: bool = True) -> list[str]:
    """Return one line of text per model and stage, a total, and the warnings; empty without answers.

    Without ``this_run``, the column of what this run paid is left out.
    """
    head = ("model", "stage", "answers", "tokens read", "written", "cost", "in this run")
    rows: list[tuple[str, ...]] = [head] if costs.rows else []
    for row in costs.rows:
        counts = (f"{row.answers:,}", f"{row.read:,}", f"{row.written:,}")
        rows.append((row.model, row.stage, *counts, money(row.cost), money(row.paid)))
    if len(rows) > 2:
        rows.append(("total", "", "", "", "", money(costs.cost), money(costs.paid)))
    rows = [row[: 7 if this_run else 6] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            f"{cell:<{width}}" if n < 2 else f"{cell:>{width}}"
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    if n := sum(row.uncounted for row in costs.rows):
        lines.append(f"{counted(n, 'answers')} without a count of tokens, so their cost is unknown")
    if costs.earlier:
        lines.append(f"earlier models: {', '.join(costs.earlier)}")
    return [*lines, *(f"warning: {warning}" for warning in costs.warnings)]
