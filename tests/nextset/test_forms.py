from nextset.forms import FORMS


def test_the_forms_are_registered_like_those_of_other_packages() -> None:
    assert {"answer", "nli", "qa", "question", "statement"} <= set(FORMS.names)
    assert FORMS.package("nli").startswith("nextset ")


def test_a_form_is_registered_under_its_own_name() -> None:
    assert all(FORMS[name].name == name for name in FORMS.names)


def test_yes_no_questions_ask_about_nli_items() -> None:
    nli, qa = FORMS["nli"], FORMS["qa"]
    assert (qa.rows_of, nli.rows_of) == ("nli", "nli")
    assert (qa.record, qa.generated, qa.released) == (nli.record, nli.generated, nli.released)
