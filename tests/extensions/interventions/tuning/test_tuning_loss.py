"""The loss of tuning by hand, and its slope."""

from __future__ import annotations

from math import log

import pytest
import torch

from nextset.extensions.interventions.tuning.tuning_loss import divergence, first_share, targets, twin_loss


def logs(*scores: tuple[float, float]) -> torch.Tensor:
    return torch.tensor(scores, dtype=torch.float64).log()


def test_the_share_of_the_first_subject() -> None:
    # 0.3 / (0.3 + 0.1) = 0.75, whatever the rest of the probability
    assert first_share(logs((0.3, 0.1), (0.03, 0.01))).exp()[:, 0].tolist() == pytest.approx([0.75, 0.75])


def test_divergence_by_hand() -> None:
    found = divergence(torch.tensor([0.5], dtype=torch.float64), first_share(logs((0.3, 0.1))))
    # ½ log(½ / ¾) + ½ log(½ / ¼) = ½ log(4 / 3)
    assert float(found) == pytest.approx(0.5 * log(4 / 3))


@pytest.mark.parametrize("target", [0.0, 0.25, 1.0])
def test_divergence_is_zero_where_the_share_is_the_target(target: float) -> None:
    aim = torch.tensor([target], dtype=torch.float64)
    share = torch.tensor([target, 1 - target], dtype=torch.float64).clamp_min(1e-300).log()
    assert float(divergence(aim, share[None])) == pytest.approx(0.0, abs=1e-12)


def test_what_each_aim_makes_of_a_share() -> None:
    before = torch.tensor([0.2, 0.5, 0.9])
    assert targets(before, "equal").tolist() == [0.5, 0.5, 0.5]
    assert targets(before, "unchanged").tolist() == before.tolist()
    assert targets(before, "stronger").tolist() == [0.0, 1.0, 1.0]


def test_the_answer_of_a_twin_is_subject_1_to_the_question_and_2_to_its_negation() -> None:
    scores = logs((0.5, 0.1), (0.25, 0.2), (0.3, 0.5), (0.4, 0.25))[None]
    # 0.5 and 0.25 of the first subject, then 0.5 and 0.25 of the second
    assert float(twin_loss(scores)) == pytest.approx((2 * log(2) + 2 * log(4)) / 4)


def test_the_slope_moves_a_share_to_its_target() -> None:
    scores = logs((0.3, 0.1)).requires_grad_()
    divergence(torch.tensor([0.5], dtype=torch.float64), first_share(scores)).backward()  # type: ignore[no-untyped-call]
    assert scores.grad is not None
    assert scores.grad[0, 0] > 0 > scores.grad[0, 1]
