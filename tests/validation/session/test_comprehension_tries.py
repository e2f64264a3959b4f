"""Tries of the comprehension items, without a server: two at most, whatever is answered or changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nextset.validation.annotator_pages.gate_page import GateAnswer, GatePage
from nextset.validation.plan.events import Event, GateAnswered, PersonJoined, SessionClosed
from nextset.validation.plan.state import Participant, fold
from nextset.validation.session.comprehension_tries import gate_answered
from tests.validation.plan.sample_plans import at, opened

JOINED = PersonJoined(session="1", at=at(1), person="A", account="account-A")

PASSED = GateAnswer(True, ("d0",), (), True, "")
FAILED = GateAnswer(True, ("d0",), ("check_1", "stance_3"), False, "")
DISAGREES = GateAnswer(False, (), (), False, "")


class Person:
    """A person at the gate of session 1, whose answers are pulled one by one."""

    def __init__(self) -> None:
        self.events: list[Event] = [opened(["u1"]), JOINED]

    def answers(self, page: GatePage, answer: GateAnswer, session: str = "1") -> GateAnswered:
        state = fold(self.events)
        event = gate_answered(state, session, "A", page, at(len(self.events) + 1), answer)
        self.events.append(event)
        return event

    def part(self, session: str = "1") -> Participant:
        return fold(self.events).sessions[session].people["A"]


def test_who_fails_once_has_a_second_try_and_who_passes_it_works() -> None:
    person = Person()
    assert (person.part().page, person.part().may_retry) == ("gate", False)
    person.answers("gate", FAILED)
    assert (person.part().page, person.part().may_retry, person.part().failed) == ("retry", True, False)
    person.answers("retry", PASSED)
    assert (person.part().page, person.part().active) == ("work", True)
    assert person.part().declined == ("d0",), "the second page does not ask for domains"
    assert list(person.part().tries) == ["gate", "retry"]


def test_who_fails_twice_has_no_third_try() -> None:
    person = Person()
    person.answers("gate", FAILED)
    person.answers("retry", FAILED)
    for page in ("gate", "retry", "gate"):
        person.answers(page, PASSED)  # changed, or deleted and answered anew
        assert (person.part().failed, person.part().active, person.part().may_retry) == (True, False, False)


def test_an_answer_changed_at_the_gate_is_no_second_try() -> None:
    person = Person()
    person.answers("gate", FAILED)
    changed = person.answers("gate", PASSED)
    assert (changed.passed, changed.wrong) == (False, FAILED.wrong)
    assert person.part().may_retry


def test_who_passed_may_change_domains_and_nothing_else() -> None:
    person = Person()
    person.answers("gate", FAILED)
    person.answers("retry", PASSED)
    person.answers("gate", GateAnswer(True, ("d1", "d2"), ("check_1", "check_2"), False, ""))
    assert person.part().active
    assert person.part().declined == ("d1", "d2")


def test_consent_is_taken_back_on_either_page_and_given_again_without_another_try() -> None:
    pages: tuple[GatePage, ...] = ("gate", "retry")
    for first in pages:
        for second in pages:
            person = Person()
            person.answers("gate", FAILED)
            person.answers("retry", PASSED)
            person.answers(first, DISAGREES)
            assert person.part().withdrew
            assert not person.part().active
            assert person.part().declined == ("d0",)
            person.answers(second, FAILED)
            assert person.part().active, "what was understood was told then"
            assert person.part().declined == ("d0",)


def test_who_disagrees_on_the_second_page_has_not_used_it() -> None:
    person = Person()
    person.answers("gate", FAILED)
    person.answers("retry", DISAGREES)
    assert (person.part().withdrew, person.part().may_retry) == (True, False)
    person.answers("retry", PASSED)
    assert person.part().active


def test_another_session_of_the_same_guidelines_begins_at_its_own_gate() -> None:
    person = Person()
    person.answers("gate", FAILED)
    person.answers("retry", FAILED)
    person.events += [SessionClosed(session="1", at=at(50)), opened(["u1"], "2")]
    person.events.append(PersonJoined(session="2", at=at(51), person="A", account="account-A"))
    assert (person.part("2").page, person.part("2").failed) == ("gate", False)
    assert person.part("2").asked_first
    assert not person.part("1").asked_first
    person.answers("gate", PASSED, "2")
    assert not person.part("2").asked_first
    assert person.part("2").active
    person.answers("gate", PASSED)  # the domains, on the page of the first session
    assert person.part("2").active


ANSWERS = st.lists(
    st.tuples(st.sampled_from(["gate", "retry"]), st.sampled_from([PASSED, FAILED, DISAGREES])), max_size=8
)


@given(ANSWERS)
def test_the_first_answers_with_consent_decide_whatever_follows(
    answers: list[tuple[GatePage, GateAnswer]],
) -> None:
    person = Person()
    tries: dict[GatePage, bool] = {}
    agrees = False
    for wanted, answer in answers:
        # nobody has the second page who does not need it
        page: GatePage = wanted if "gate" in tries and not tries["gate"] else "gate"
        person.answers(page, answer)
        agrees = answer.consent
        if answer.consent:
            tries.setdefault(page, answer.passed)
        part = person.part()
        understood = any(tries.values())
        assert part.active == (agrees and understood)
        assert part.failed == (len(tries) == 2 and not understood)
        assert part.may_retry == (agrees and tries.keys() == {"gate"} and not understood)
        assert len(part.tries) == len(tries)
