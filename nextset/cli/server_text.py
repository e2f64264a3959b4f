"""The estimate of models behind servers as text: hosts, requests, tokens, cost and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nextset.cli.progress_bar import duration
from nextset.counted import counted
from nextset.pipeline.server_costs import money

if TYPE_CHECKING:
    from nextset.cli.server_preview import ServerEstimate
    from nextset.study.scoring_settings import ServerSettings

__all__ = ["servers_text"]


def servers_text(estimates: Sequence[ServerEstimate], limits: ServerSettings | None = None) -> str:
    """Return where texts are sent, two lines per model and role, the sums, and which of the run's ``limits``
    may stop it; empty without such models."""
    if not estimates:
        return ""
    lines = ["\nmodels behind servers, before anything is sent"]
    for host in dict.fromkeys(e.host for e in estimates):
        some = next(e for e in estimates if e.host == host)
        models = ", ".join(dict.fromkeys(e.model for e in estimates if e.host == host))
        if not host:
            lines.append(f"  {models}: the address of the server is not set, so texts may leave this machine")
        elif some.leaves:
            lines.append(f"  the texts leave this machine: {models} is at {host}")
        else:
            lines.append(f"  the texts stay on this machine: {models} is at {host}")
    unset = {e.model: e.unset for e in estimates if e.unset}
    lines += [f"  warning: {name} needs {', '.join(v)}, not set here" for name, v in unset.items()]
    for e in estimates:
        lines += [f"  {line}" for line in _lines(e)]
    by_model = {e.model: [x for x in estimates if x.model == e.model] for e in estimates}
    lines += [f"  {name}: {_sum(own)}" for name, own in by_model.items()] if len(by_model) > 1 else []
    lines.append(f"  all: {_sum(estimates)}")
    lines += [f"  {line}" for line in _reached(estimates, limits)] if limits is not None else []
    if not all(e.counted for e in estimates):
        lines.append("  estimated: a token per 4 bytes of UTF-8, because the model's tokenizer is not here")
    lines.append(
        "  at most: every answer is as long as it may be and has no choice (refused, unreadable or cut off), "
        "so that two reminders follow"
    )
    lines.append(
        "  not counted: requests that are sent again because the server failed, and the server's chat "
        "template; single wordings of the audit ask nothing new"
    )
    return "\n".join(lines)


def _reached(estimates: Sequence[ServerEstimate], limits: ServerSettings) -> list[str]:
    """Return a line for each of ``limits`` that the run could reach."""
    cost = _total([e.cost_at_most for e in estimates])
    reached = []
    if limits.max_cost is not None and cost is not None and cost > limits.max_cost:
        reached.append(f"max_cost is {money(limits.max_cost)}")
    if limits.max_requests is not None and _most(estimates) > limits.max_requests:
        reached.append(f"max_requests is {limits.max_requests:,}")
    return [f"your {limit}: the run may stop before the end; the next run resumes" for limit in reached]


def _most(estimates: Sequence[ServerEstimate]) -> int:
    return sum(e.requests_at_most for e in estimates)


def _lines(e: ServerEstimate) -> tuple[str, str]:
    most = "" if e.exact else "at most "
    stored = f", {e.stored:,} answered already" if e.exact else ", stored answers not yet known"
    requests = f"{counted(e.requests, 'requests')}, at most {e.requests_at_most:,}"
    asked = f"{e.model}, {e.role}: {most}{counted(e.prompts, 'prompts')}{stored}; {requests}"
    how = "" if e.counted else "estimated "
    usual = "as its stored answers" if e.measured else "a bare choice each, without thinking"
    tokens = f"  {how}{e.read:,} tokens read, {e.written:,} written ({usual}; at most {e.written_at_most:,})"
    return asked, f"{tokens}; cost {money(e.cost)}, at most {money(e.cost_at_most)}; {_time([e])}"


def _time(estimates: Sequence[ServerEstimate]) -> str:
    seconds = sum(e.seconds for e in estimates)
    if seconds != seconds:
        return "time unknown"
    speeds = {_speed(e) for e in estimates}
    return f"about {duration(seconds)}{f' at {speeds.pop()}' if len(speeds) == 1 else ''}"


def _speed(e: ServerEstimate) -> str:
    if e.per_minute:
        return f"{e.per_minute:,} requests a minute"
    return f"2 s per request, {e.at_once:,} at once"


def _sum(estimates: Sequence[ServerEstimate]) -> str:
    requests = counted(sum(e.requests for e in estimates), "requests")
    cost, most = (_total(c) for c in ([e.cost for e in estimates], [e.cost_at_most for e in estimates]))
    several = f"{requests}, at most {_most(estimates):,}"
    return f"{several}; cost {money(cost)}, at most {money(most)}; {_time(estimates)}"


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
