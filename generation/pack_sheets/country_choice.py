"""The initial countries of a new pack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["BY_POPULATION", "chosen_countries"]

BY_POPULATION = (
    "India", "China", "America", "Indonesia", "Pakistan", "Nigeria", "Brazil", "Bangladesh", "Russia",
    "Mexico", "Japan", "Ethiopia", "Vietnam", "Iran", "Turkey", "Germany", "Thailand", "Britain",
    "France", "Italy", "Burma", "Colombia", "Korea", "Spain", "Sudan", "Iraq", "Afghanistan", "Poland",
    "Canada", "Morocco", "Saudi Arabia", "Uzbekistan", "Peru", "Yemen", "Mozambique", "Venezuela",
    "Australia", "Mali", "Syria", "Sri Lanka", "Romania", "Chile", "Somalia", "Guinea", "Haiti",
    "Belgium", "Sweden", "Honduras", "Portugal", "Greece", "Hungary", "Israel", "Switzerland", "Libya",
    "Denmark", "Finland", "Slovakia", "Norway", "Palestine", "Ireland", "Panama", "Eritrea", "Mongolia",
    "Moldova", "Lithuania", "Namibia", "Kosovo", "Iceland", "Dominica",
)  # fmt: skip
"""The countries of the English pack, roughly in order of population (UN, World Population Prospects 2022)."""


def chosen_countries(home: Sequence[str], codes: Mapping[str, str], most: int) -> list[str]:
    """Return ``most`` keys of countries in alphabetical order, out of ``codes`` (ISO codes by key).

    First come the countries ``home`` (ISO codes), where the language is official, up to a quarter of the
    list: Arabic has two dozen. Then come the most populous countries of the English pack, then all others.
    """
    by_code = {code: key for key, code in codes.items()}
    own = [by_code[code] for code in dict.fromkeys(home) if code in by_code]
    chosen = dict.fromkeys([*own[: max(1, most // 4)], *BY_POPULATION, *codes])
    return sorted(list(chosen)[:most])
