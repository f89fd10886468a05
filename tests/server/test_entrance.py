"""The access code: it works once, guesses are counted, and cookies end."""

from __future__ import annotations

import pytest

from server.annotator_links import ENTRY_SECONDS, FAILURE_SECONDS, FAILURES, Entrance


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def codes() -> list[str]:
    return []


@pytest.fixture
def entrance(codes: list[str], clock: Clock) -> Entrance:
    return Entrance(codes.append, clock)


def test_a_code_lets_one_person_in_and_is_spent(entrance: Entrance, codes: list[str]) -> None:
    cookie = entrance.enter(codes[0], "ann")
    assert cookie is not None and entrance.entered(cookie)
    assert entrance.enter(codes[0], "ben") is None
    other = entrance.enter(codes[1], "ben")
    assert other is not None and entrance.entered(other) and entrance.entered(cookie) and other != cookie
    assert len(set(codes)) == 3


def test_a_code_may_be_typed_as_people_type(entrance: Entrance, codes: list[str]) -> None:
    assert entrance.enter(f"  {codes[0].lower().replace('-', ' ')} ", "ann")


def test_a_code_has_sixty_random_bits(codes: list[str], entrance: Entrance) -> None:
    assert len(codes[0].replace("-", "")) == 12
    for _ in range(50):
        entrance.renew()
    assert len(set("".join(codes)) - {"-"}) == 32


@pytest.mark.parametrize("guess", ["", "-", "AAAA-AAAA-AAAA", "ä" * 12, "\udcff", "A" * 10_000])
def test_a_guess_is_refused(entrance: Entrance, codes: list[str], guess: str) -> None:
    assert entrance.enter(guess, "eve") is None
    assert len(codes) == 1
    assert not entrance.entered(guess)


def test_whoever_guesses_often_waits_and_nobody_else(entrance: Entrance, codes: list[str], clock: Clock) -> None:
    for _ in range(FAILURES):
        assert not entrance.waits("eve")
        entrance.enter("AAAA-AAAA-AAAA", "eve")
    assert entrance.waits("eve") and not entrance.waits("ann")
    assert entrance.enter(codes[0], "eve") is None
    clock.now += FAILURE_SECONDS
    assert entrance.enter(codes[0], "eve")


def test_a_cookie_ends(entrance: Entrance, codes: list[str], clock: Clock) -> None:
    cookie = entrance.enter(codes[0], "ann")
    assert cookie is not None
    clock.now += ENTRY_SECONDS - 1
    assert entrance.entered(cookie)
    clock.now += 1
    assert not entrance.entered(cookie)


def test_addresses_that_guess_are_forgotten_when_they_are_too_many(entrance: Entrance) -> None:
    for _ in range(FAILURES):
        entrance.fail("first")
    for number in range(10_000):
        entrance.fail(str(number))
    assert not entrance.waits("first")
