"""What the address asks for and is not offered is told, in one sentence."""

from __future__ import annotations

import pytest

from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    gold,
    headline_number,
    keep,
    plan_of,
    text,
    two_targets,
)
from tests.sampled import sampled


@pytest.fixture
def labelled_pool(neyman_home):
    pool = two_targets(200)
    plan, _ = plan_of(pool, 60)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold")
    return pool


PARAMETERS = sampled(
    [
        ("target", "nobody", "the target “nobody”, which is not offered: “one” is used."),
        ("says", "foo", "the kind of label “foo”, which is not offered: “The right answer” is used."),
        ("compare", "nobody", "the other target “nobody”, which is not offered: no other target is used."),
        ("compare", "one", "the other target “one”, which is not offered: no other target is used."),
        ("read-as", "qq", "the way to read answers “qq”, which is not offered: “As the pool says” is used."),
        ("half-width", "-3", "the half-width “-3”, which is not offered: half the present one is used."),
        ("half-width", "wide", "the half-width “wide”, which is not offered: half the present one is used."),
        ("positive", "nix", "the positive answer “nix”, which is not offered: none is used."),
    ],
    lambda name, given, sentence: given in ("one", "wide", "nix"),
)


@pytest.mark.parametrize(("name", "given", "sentence"), PARAMETERS)
def test_a_parameter_that_is_not_offered_is_told_once(open_page, labelled_pool, name, given, sentence):
    app = open_page(ESTIMATE, labelled_pool, **{name: given})
    assert text(app).count("The address asks for") == 1
    assert f"The address asks for {sentence}" in text(app) and headline_number(app)
    assert "The address asks for" not in text(run(app))


def test_several_are_told_in_one_sentence(open_page, labelled_pool):
    wrong = {"target": "nobody", "says": "foo", "interval": "wald", "half-width": "-3"}
    sentence = "the target “nobody”, the kind of label “foo”, the interval “wald” and the half-width “-3”"
    used = "“one”, “The right answer”, Tilted model and half the present one"
    others = {"compare": "nobody", "read-as": "qq"}
    of_others = "the way to read answers “qq” and the other target “nobody”"
    instead = "“As the pool says” and no other target"
    for query, asked, taken in ((wrong, sentence, used), (others, of_others, instead)):
        app = open_page(ESTIMATE, labelled_pool, **query)
        assert text(app) == Saying(f"asks for {asked}", f"{taken} are used")
        assert text(app).count("The address asks for") == 1


def test_what_is_wrong_is_told_beside_what_a_link_calls_by_its_own_name(open_page, labelled_pool):
    app = open_page(ESTIMATE, labelled_pool, says="gold", interval="korn-graubard", confidence="0.9", target="nobody")
    assert text(app) == Saying("the target “nobody”", "“one” is used")
    box = app.selectbox(key="interval")
    assert (box.value, box.options) == ("korn-graubard", ["Tilted model", "Korn–Graubard"])
    assert app.selectbox(key="confidence").value == 0.9


def test_a_link_names_the_confidence_by_its_number(open_page, labelled_pool):
    app = open_page(ESTIMATE, labelled_pool, confidence="90")
    assert app.selectbox(key="confidence").value == 0.9 and "The address asks" not in text(app)
