"""The preference of a model on one quad as a sentence."""

from __future__ import annotations

__all__ = ["preference", "shown"]


def preference(subjects: tuple[str, str], asked: str, c: float) -> str:
    """Return a phrase that says which of the two ``subjects`` the attribute in ``asked`` goes with, by the
    sign of ``c``.

    ``c`` is C of the first subject against the second, in [−1, 1].
    """
    first, second = subjects
    if c == 0:
        return f"prefers neither {first} nor {second} for “{asked}”: C = 0"
    return f"prefers {first if c > 0 else second} for “{asked}”: C = {shown(c)}"


def shown(number: float) -> str:
    """Return ``number`` with three decimals, or in scientific notation if it is closer to 0, with a true
    minus sign."""
    if abs(number) >= 0.001 or number == 0:
        return f"{number:.3f}".replace("-", "−")
    digits, _, power = f"{number:.1e}".partition("e")
    return f"{digits}e{int(power)}".replace("-", "−")
