"""Names that would stay in a copy while the others are replaced: the question is refused."""

from __future__ import annotations

import pytest

from nextset.extensions.ambiguity.questions import renaming_obstacles as why
from nextset.extensions.ambiguity.questions.balanced_copies import NotRenamed, balanced_copies
from tests.extensions.ambiguity.questions.people_texts import GROUPS, NAMES, question

FIRST = "Sandra Faber and Robert Jackson found it. "
PEOPLE = ("Sandra Faber", "Robert Jackson")
OF = ("female", "male")


def copies(context: str) -> list[str]:
    made = question(context, *PEOPLE, genders=OF, asked="Who found it?", item="Faber-Jackson relation")
    return [copy.context for copy in balanced_copies(made, GROUPS, NAMES, "gender", 0)]


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ("Sandra “Sandy” Faber won.", why.NICKNAME),
        ("Robert (Bob) Jackson won.", why.NICKNAME),
        ("Robert 'Bob' Jackson won.", why.NICKNAME),
        ("Jackson (born Robert Smith) won.", why.NICKNAME),
        ("Jackson, born Bob Smith in Ohio, won.", why.NICKNAME),
        ("Faber was called 'Sandy' by friends.", why.NICKNAME),
        ("Faber was named Sandra by friends.", why.NICKNAME),
        ("Faber, nicknamed Sandy, won.", why.NICKNAME),
        ("Faber, a.k.a. Sandy, won.", why.NICKNAME),
        ("Faber (Susan to friends) won.", why.NICKNAME),
        ("Faber, S. M., won.", why.INITIALS),
        ("It is by Jackson R. and others.", why.INITIALS),
        ("S. F. won, and R.J. lost.", why.INITIALS),
        ("The Right Honourable Sandra Faber won.", why.STRAY),
        ("The Right Honourable Sandra M. Faber won.", why.STRAY),
        ("Faber met Robert Hooke, and Robert won.", why.STRAY),
        ("Dame Sandra Faber, DBE, won.", why.NOUN),
        ("Mlle Faber won.", why.TITLE),
        ("Mme. Faber won.", why.TITLE),
        ("Fräulein Faber won.", why.TITLE),
        ("Abbé Jackson won.", why.TITLE),
    ],
)
def test_a_name_that_would_stay_is_refused(context: str, reason: str) -> None:
    with pytest.raises(NotRenamed, match=f"^{reason}$"):
        copies(FIRST + context)


@pytest.mark.parametrize(
    "context",
    [
        "Faber was born April 3, 1944, in Boston.",
        "Faber was born Sept. 3, 1944.",
        "It is called Faber's relation, and known as Big Blue.",
        "Faber (Berkeley) met Jackson (Albert Einstein's student).",
        "Faber met U.S. officials in Washington, D.C.",
        "Faber met R. J. Smith, S. F. Smith and Robert Hooke.",
        "Jackson, R. Feynman and Faber won.",
    ],
)
def test_other_names_are_kept(context: str) -> None:
    assert all(copy.endswith(context) for copy in copies(FIRST + context))
