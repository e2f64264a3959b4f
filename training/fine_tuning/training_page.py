"""The page about a training: its loss and its figures as curves, and the figures of the trained model."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from nextset.html.page import page
from nextset.html.plot_layers import Mark, draw, labels, points, rules
from nextset.html.svg import ANTI, PALE, PRO, QUIET, WIDTH
from nextset.study.training_settings import TrainingFile
from nextset.training.fine_tuning.fine_tuned_model import FineTuned
from nextset.training.metrics.figure_text import figure_text

__all__ = ["training_page"]

HEIGHT, TOP, LEFT, RIGHT = 200, 12, 52, 12
"""The plot's height and the margins around the curve, in the plot's units."""
_SHOWN = {
    "nli": {"accuracy": "Accuracy", "macro_f1": "Mean F1 of the labels"},
    "qa": {"f1": "F1", "em": "Exact match"},
    "masked_lm": {"loss": "Loss", "accuracy": "Accuracy"},
}
"""The figures whose curves are shown, by task, with their names."""


def training_page(name: str, settings: TrainingFile, made: FineTuned) -> bytes:
    """Return the page about the training of the model ``name``: one file, without scripts or requests."""
    curves = [_curve("Loss on the training data", [(r.step, r.loss) for r in made.losses], PRO, "loss", None)]
    for figure, shown in _SHOWN[settings.task].items():
        values = [(f.step, f.value) for f in made.figures if f.figure == figure and f.when == "during"]
        if values:
            title = f"{shown} on the validation data"
            curves.append(_curve(title, values, ANTI, figure, made.run.best_step))
    after = [(f.figure.replace("_", " "), figure_text(f.figure, f.value))
             for f in made.figures if f.when == "after"]  # fmt: skip
    html = page(
        Path(__file__).with_name("training_page.html.j2"),
        lambda share: "–" if share is None else f"{share:.1%}",
        name=name,
        task=settings.task,
        run=made.run,
        curves=curves,
        after=after,
        losses=made.losses,
    )
    return html.encode()


def _curve(
    title: str, values: Sequence[tuple[int, float]], colour: str, figure: str, best: int | None
) -> str:
    """Return a line through ``values`` by step as an SVG, with a ring at the best step."""
    if not values:
        return ""
    steps = [step for step, _ in values]
    heights = [value for _, value in values]
    low, high = (
        (min(heights), max(heights)) if max(heights) > min(heights) else (min(heights), min(heights) + 1)
    )
    first, last = steps[0], max(steps[-1], steps[0] + 1)

    def x(step: int) -> float:
        return LEFT + (step - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - 2 * TOP)

    places = [(x(step), y(value)) for step, value in values]
    lines: list[Mark] = [
        {"x": a[0], "y": a[1], "x2": b[0], "y2": b[1], "colour": colour}
        for a, b in itertools.pairwise(places)
    ]
    grid: list[Mark] = [
        {"x": LEFT, "y": y(v), "x2": WIDTH - RIGHT, "y2": y(v), "colour": PALE} for v in (low, high)
    ]
    height = HEIGHT + 24
    layers = [
        rules(grid, height, width=1),
        labels([{"x": LEFT - 6, "y": y(v), "text": figure_text(figure, v)} for v in (low, high)],
               height, "right", colour=QUIET),
        labels([{"x": x(first), "y": HEIGHT + 8, "text": f"step {first:,}"}], height, "left", colour=QUIET),
        labels([{"x": x(last), "y": HEIGHT + 8, "text": f"{last:,}"}], height, "right", colour=QUIET),
    ]  # fmt: skip
    layers.append(rules(lines, height) if lines else points([_point(places[0], colour)], height))
    marked = [_point(place, colour) for place, step in zip(places, steps, strict=True) if step == best]
    if marked:
        layers.append(points(marked, height, hollow=True))
    subtitle = [f"from {figure_text(figure, heights[0])} to {figure_text(figure, heights[-1])}"]
    if marked:
        subtitle.append(f"The ring is the model that was kept, after step {best:,}.")
    alt = f"{title}, {subtitle[0]} over {len(values)} points"
    return draw(height, layers, title, subtitle, alt)


def _point(place: tuple[float, float], colour: str) -> Mark:
    return {"x": place[0], "y": place[1], "colour": colour, "fill": colour}
