"""Ten families of short tasks, each with its steps spelled out.

A family is a function of a random generator that returns one ``Task``. The target model learns ``worked()``, every
step on a separate line and then the answer; the surrogate learns ``brief()``, at most one hint and the answer.
Questions are divided once and for all by a hash of their text (``held_out``): training never sees a question that
the pool may contain, however small the family is.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    ("January", 31),
    ("February", 28),
    ("March", 31),
    ("April", 30),
    ("May", 31),
    ("June", 30),
    ("July", 31),
    ("August", 31),
    ("September", 30),
    ("October", 31),
    ("November", 30),
    ("December", 31),
)
HELD_OUT_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Task:
    """One question with its answer and the working that leads to it.

    ``kind`` says how an answer is read from a text: ``"number"`` or ``"text"``. ``hint`` may be empty.
    """

    family: str
    question: str
    steps: tuple[str, ...]
    hint: str
    answer: str
    kind: str

    def worked(self) -> str:
        """Every step on its own line, then the answer: what the target is taught."""
        return "\n".join((*self.steps, f"Answer: {self.answer}"))

    def brief(self) -> str:
        """The hint, if there is one, then the answer: what the surrogate is taught."""
        return "\n".join(filter(None, (self.hint, f"Answer: {self.answer}")))


def _digits(number: int, length: int) -> list[int]:
    """Decimal digits from the last to the first, filled up with zeros to ``length``."""
    return [int(d) for d in reversed(str(number).zfill(length))]


def _below(rng: random.Random, digits: int) -> int:
    """A number with exactly that many digits."""
    return rng.randrange(10 ** (digits - 1), 10**digits)


def _term(carry: int, sign: str) -> str:
    return f"{sign}{carry}" if carry else ""


def addition(rng: random.Random) -> Task:
    """Column addition of two numbers of one to three digits, carries written out."""
    longest = rng.randint(1, 3)
    a, b = _below(rng, longest), _below(rng, rng.randint(1, longest))
    if rng.random() < 0.5:
        a, b = b, a
    steps, carry, done = [], 0, ""
    pairs = list(zip(_digits(a, longest), _digits(b, longest), strict=True))
    for place, (x, y) in enumerate(pairs):
        total = x + y + carry
        digit = total if place == longest - 1 else total % 10
        done = f"{digit}{done}"
        steps.append(f"{x}+{y}{_term(carry, '+')}={total} -> {done}")
        carry = total // 10
    return Task("Addition", f"What is {a} + {b}?", tuple(steps), "", str(a + b), "number")


def subtraction(rng: random.Random) -> Task:
    """Column subtraction of two numbers of one to three digits, borrows written out; never below zero."""
    longest = rng.randint(1, 3)
    b, a = sorted((_below(rng, longest), _below(rng, rng.randint(1, longest))))
    steps, borrow, done = [], 0, ""
    for x, y in zip(_digits(a, longest), _digits(b, longest), strict=True):
        lent = 10 if x - borrow < y else 0
        rest = x + lent - y - borrow
        done = f"{rest}{done}"
        steps.append(f"{x + lent}-{y}{_term(borrow, '-')}={rest} -> {done}")
        borrow = lent // 10
    return Task("Subtraction", f"What is {a} - {b}?", tuple(steps), "", str(a - b), "number")


def multiplication(rng: random.Random) -> Task:
    """A number of one to three digits times one digit, digit by digit."""
    length = rng.randint(1, 3)
    a, b = _below(rng, length), rng.randint(2, 9)
    steps, carry, done = [], 0, ""
    for place, x in enumerate(_digits(a, length)):
        total = x * b + carry
        digit = total if place == length - 1 else total % 10
        done = f"{digit}{done}"
        steps.append(f"{x}*{b}{_term(carry, '+')}={total} -> {done}")
        carry = total // 10
    return Task("Multiplication", f"What is {a} * {b}?", tuple(steps), "", str(a * b), "number")


def remainders(rng: random.Random) -> Task:
    """Remainder of a number of two to four digits by a digit from 3 to 9, by long division."""
    a, b = _below(rng, rng.randint(2, 4)), rng.randint(3, 9)
    steps, rest = [], 0
    for digit in str(a):
        part = rest * 10 + int(digit)
        rest = part % b
        steps.append(f"{part}-{part - rest}={rest}")
    question = f"Remainder of {a} divided by {b}?"
    return Task("Remainders", question, tuple(steps), "", str(rest), "number")


def sequences(rng: random.Random) -> Task:
    """The next number of a sequence of four whose steps are constant or change by a constant."""
    step = rng.choice([*range(-12, -1), *range(2, 13)])
    change = rng.choice((0, 0, 1, -1, 2, -2, 3))
    differences = [step + i * change for i in range(4)]
    lowest = max(0, -min(sum(differences[:i]) for i in range(5)))
    terms = [rng.randint(lowest, lowest + 99)]
    for difference in differences:
        terms.append(terms[-1] + difference)
    shown, answer = terms[:4], terms[4]
    changes = " ".join(f"{d:+d}" for d in differences[:3])
    steps = (f"{changes}, next {differences[3]:+d}", f"{shown[-1]}{differences[3]:+d}={answer}")
    question = f"What comes next: {', '.join(map(str, shown))}?"
    return Task("Sequences", question, steps, f"next {differences[3]:+d}", str(answer), "number")


def counting(rng: random.Random) -> Task:
    """Return a task to count a letter in a string of three to twelve letters drawn from two to four letters."""
    letters = rng.sample("abcdefghijklmnopqrstuvwxyz", rng.randint(2, 4))
    word = "".join(rng.choices(letters, k=rng.randint(3, 12)))
    letter = rng.choice(letters)
    count, marks = 0, []
    for symbol in word:
        count += symbol == letter
        marks.append(f"{symbol}{count}")
    question = f"How often is {letter} in {word}?"
    return Task("Counting letters", question, (" ".join(marks),), "", str(count), "number")


def weekdays(rng: random.Random) -> Task:
    """The weekday up to 99 days after or before another, whole weeks taken off first."""
    start, days, later = rng.randrange(7), rng.randint(2, 99), rng.random() < 0.5
    rest = days % 7
    sign = 1 if later else -1
    walk = [WEEKDAYS[(start + sign * i) % 7] for i in range(1, rest + 1)]
    day = WEEKDAYS[(start + sign * days) % 7]
    steps = (f"{days}-{days - rest}={rest}", " ".join([WEEKDAYS[start][:3], *(name[:3] for name in walk)]))
    question = f"Which day is {days} days {'after' if later else 'before'} {WEEKDAYS[start]}?"
    return Task("Weekdays", question, steps, f"{days}-{days - rest}={rest}", day, "text")


def dates(rng: random.Random) -> Task:
    """The date up to 40 days after another in a year of 365 days, month by month."""
    month = rng.randrange(12)
    day, days = rng.randint(1, MONTHS[month][1]), rng.randint(2, 40)
    question = f"Which date is {days} days after {day} {MONTHS[month][0]}?"
    total = day + days
    steps = [f"{day}+{days}={total}"]
    while total > MONTHS[month][1]:
        name, length = MONTHS[month]
        steps.append(f"{name} has {length}: {total}-{length}={total - length}")
        total, month = total - length, (month + 1) % 12
    return Task("Dates", question, tuple(steps), steps[0], f"{total} {MONTHS[month][0]}", "text")


def reversing(rng: random.Random) -> Task:
    """A string of three to eight letters written backwards, letters numbered first."""
    word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 8)))
    marks = [f"{i}{symbol}" for i, symbol in enumerate(word, 1)]
    steps = (" ".join(marks), " ".join(reversed(marks)))
    return Task("Reversing", f"Write {word} backwards.", steps, "", word[::-1], "text")


def sorting(rng: random.Random) -> Task:
    """Three to five different two-digit numbers in ascending order, the smallest taken out again and again."""
    numbers = rng.sample(range(10, 100), rng.randint(3, 5))
    left, steps = list(numbers), []
    while len(left) > 1:
        smallest = min(left)
        left.remove(smallest)
        steps.append(f"{smallest}, left {' '.join(map(str, left))}")
    question = f"Sort {' '.join(map(str, numbers))}."
    return Task("Sorting", question, tuple(steps), "", " ".join(map(str, sorted(numbers))), "text")


FAMILIES: tuple[Callable[[random.Random], Task], ...] = (
    addition,
    subtraction,
    multiplication,
    remainders,
    sequences,
    counting,
    weekdays,
    dates,
    reversing,
    sorting,
)


def held_out(question: str) -> bool:
    """Whether a question is reserved for the pool: a fixed fifth of all questions, by the hash of the text."""
    return hashlib.sha256(question.encode()).digest()[0] < 256 * HELD_OUT_SHARE


def training_tasks(seed: int) -> Iterator[Task]:
    """An endless stream of training tasks, families in turn, never a held-out question; the same for the same seed."""
    rng = random.Random(seed)
    while True:
        for family in FAMILIES:
            task = family(rng)
            while held_out(task.question):
                task = family(rng)
            yield task


def pool_tasks(seed: int, count: int) -> list[Task]:
    """``count`` different held-out questions, families in turn, in random order; the same for the same seed.

    A question drawn again is dropped, so a family with few questions (weekdays) comes out smaller than the others.
    """
    rng = random.Random(seed)
    chosen: dict[str, Task] = {}
    for family in cycle(FAMILIES):
        if len(chosen) == count:
            break
        task = family(rng)
        while not held_out(task.question):
            task = family(rng)
        chosen.setdefault(task.question, task)
    tasks = list(chosen.values())
    rng.shuffle(tasks)
    return tasks
