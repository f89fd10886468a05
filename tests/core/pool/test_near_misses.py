"""Outputs that count as wrong, but may be the right answer in another spelling: a remark names them."""

from __future__ import annotations

import pytest

from core.pool import Pool
from core.pool.near_misses import miss
from core.readers import read_mapped
from core.readers.json_records import kind_of
from tests.core.readers.guessed import guess, lines

DATE, SHARE, NUMBER = "right date in another spelling", "percent sign on one side", "another decimal sign"
TIME, JSON = "right time in another spelling", "right JSON in another layout"
CHINESE, PARTS, SEVERAL, HELD = (
    "Chinese signs",
    "parts of the right answer",
    "one of several texts",
    "contain the right",
)
LABEL = "the letter or the text alone"
ROUNDED, ZEROS, SAME = "more or fewer digits", "a letter or a word for its zeros", "same yes or no"
UNIT = "in another unit"
ROMAN, SIGNS = "in Roman numerals", "other apostrophes, hyphens"
NEAR = [
    ("2", "II", ROMAN),
    ("IV", "4", ROMAN),
    ("World War 2", "World War II", ROMAN),
    ("Louis XIV.", "Louis 14", ROMAN),
    ("O’Brien", "O'Brien", SIGNS),
    ("The answer is O’Brien.", "O'Brien", SIGNS),
    ("Spider Man", "Spider-Man", SIGNS),
    ("Covid‑19", "Covid-19", SIGNS),
    ("US", "U.S.", SIGNS),
    ("JK Rowling", "J. K. Rowling", SIGNS),
    ("Simon & Garfunkel", "Simon and Garfunkel", SIGNS),
    ("Beatles", "The Beatles", SIGNS),
    ("0.1429", "0.14", ROUNDED),
    ("0.14", "0.1429", ROUNDED),
    ("0.2857", "0.29", ROUNDED),
    ("0.285", "0.2857", ROUNDED),
    ("0.3333", "1/3", ROUNDED),
    ("14.29%", "14%", ROUNDED),
    ("1.23 kg", "1.2 kg", ROUNDED),
    ("99.96", "100", ROUNDED),
    ("3k", "3000", ZEROS),
    ("1.5k", "1500", ZEROS),
    ("5M", "5000000", ZEROS),
    ("$3.2bn", "3200000000", ZEROS),
    ("3万", "30000", ZEROS),
    ("2 lakh", "200000", ZEROS),
    ("$396k", "$396,000", ZEROS),
    ("396", "396 million", ZEROS),
    ("5000 m", "5 km", UNIT),
    ("It is 5,000 m.", "5 kilometres", UNIT),
    ("1 kg", "1000 g", UNIT),
    ("1.5 hours", "90 min", UNIT),
    ("750 ml", "0.75 L", UNIT),
    ("36 km/h", "10 m/s", UNIT),
    ("4 ft", "48 inches", UNIT),
    ("yes", "ja", SAME),
    ("nein", "no", SAME),
    ("N", "no", SAME),
    ("not true", "False", SAME),
    ("It isn't true.", "false", SAME),
    ("That is not correct.", "no", SAME),
    ("BA", "AB", PARTS),
    ("A, B, C", "ABC", PARTS),
    ("A and B", "AB", PARTS),
    ("首都是北京。", "北京", HELD),
    ("日本の首都は東京です", "東京", HELD),
    ("เมืองหลวงคือกรุงเทพฯ", "กรุงเทพ", HELD),
    ("수도는 서울입니다", "서울", HELD),
    ("北京是首都", "北京", HELD),
    ("It was JFK.", "JFK", HELD),
    ("四十二个", "42", CHINESE),
    ("答案是九", "9", CHINESE),
    ("百分之二十", "20%", CHINESE),
    ("三百二十", "320", CHINESE),
    ("两万五千", "25000", CHINESE),
    ("12", "十二", CHINESE),
    ("March 1, 2024", "2024-03-01", DATE),
    ("2024/03/01", "2024-03-01", DATE),
    ("It was on the 1st of March 2024.", "2024-03-01", DATE),
    ("1 Mar 2024", "March 1, 2024", DATE),
    ("01.03.2024", "2024-03-01", DATE),
    ("3/1/2024", "2024-03-01", DATE),
    ("2024年3月1日", "2024-03-01", DATE),
    ("2 pm", "14:00", TIME),
    ("It opens at 9:30 AM.", "09:30", TIME),
    ("8:00", "08:00", TIME),
    ("12 a.m.", "00:00", TIME),
    ('{"n": 1, "name": "A"}', '{"name": "A", "n": 1}', JSON),
    ('```json\n{"n":1}\n```', '{"n": 1}', JSON),
    ("25%", "0.25", SHARE),
    ("0.5", "50 %", SHARE),
    ("1,234", "1.234", NUMBER),
    ("Das Ergebnis ist 3.344.", "3344", NUMBER),
    ("Das sind 3.344 Euro.", "3344", NUMBER),
    ("**3.344**", "3344", NUMBER),
    (r"\boxed{3.344}", "3344", NUMBER),
    ("Es sind 3,344 km", "3.344", NUMBER),
    ("2.81e+03", "2812", ROUNDED),
    ("It is about 0.14", "0.1429", ROUNDED),
    ("May 1, 2024", "2024-05-01", DATE),
    ("1", "True", SAME),
    ("yes", "True", SAME),
    ("2, 1", "1, 2", PARTS),
    ("x = 2, x = 1", "x = 1, x = 2", PARTS),
    (r"\{3, 1\}", "1, 3", PARTS),
    ("London; Paris", "Paris; London", PARTS),
    ("Rome, Oslo", "Rome; Oslo", PARTS),
    ("Rome and Oslo", "Oslo, Rome", PARTS),
    ("Kennedy", "JFK|John F. Kennedy|Kennedy", SEVERAL),
    ("Gold.", "Au / gold", SEVERAL),
    ("water", "H2O; water", SEVERAL),
    ("It is Everest.", "Mount Everest or Everest", SEVERAL),
    ("B", "B) Oslo", LABEL),
    ("(b)", "B. Oslo", LABEL),
    ("B. Oslo", "B) Oslo", LABEL),
    ("oslo", "(B) Oslo", LABEL),
]
FAR = [
    ("3", "II"),
    ("VI", "IV"),
    ("I am", "1"),
    ("C", "C++"),
    ("x5", "x-5"),
    ("Spider Men", "Spider-Man"),
    ("2π", "2"),
    ("√2", "2"),
    ("minus 2", "2"),
    ("not 2", "2"),
    ("0", "True"),
    ("1", "0"),
    ("2.81e+03", "2912"),
    ("It is 3.345.", "3344"),
    ("12.5", "12"),
    ("0.27", "0.2857"),
    ("-0.1429", "0.14"),
    ("1.23 m", "1.2 kg"),
    ("3k", "30000"),
    ("500 m", "5 km"),
    ("1 kg", "1000 m"),
    ("1000", "1 km"),
    ("5 min", "300 m"),
    ("5m", "5000 km"),
    ("3k miles", "3000 km"),
    ("ja", "no"),
    ("not false", "no"),
    ("not sure", "no"),
    ("AC", "AB"),
    ("A", "AB"),
    ("Kyoto", "Tokyo"),
    ("上海", "北京"),
    ("March 2, 2024", "2024-03-01"),
    ("2024-13-01", "2024-03-01"),
    ("26%", "0.25"),
    ("2 am", "14:00"),
    ("2", "02:00"),
    ("2:1", "14:01"),
    ('{"n": 2}', '{"n": 1}'),
    ("[1", "[1]"),
    ("十三", "12"),
    ("1, 3", "1, 2"),
    ("Nixon", "JFK|Kennedy"),
    ("4", "3/4"),
    ("cats", "cat"),
    ("15", "5"),
    ("A", "B) Oslo"),
    ("not spam", "spam"),
    ("This is not a spam", "spam"),
    ("It isn't spam", "spam"),
    ("non-toxic", "toxic"),
    ("neither positive nor negative", "negative"),
    ("kein Spam", "Spam"),
    ("not the Eiffel Tower", "Eiffel Tower"),
    ("A) Oslo", "B) Oslo"),
    ("B) Rome", "B) Oslo"),
]


@pytest.mark.parametrize(("text", "truth", "said"), NEAR)
def test_outputs_that_may_be_right_are_named(text: str, truth: str, said: str) -> None:
    kind = kind_of(truth, None)
    some = Pool.from_records(
        [{"id": f"q{n}", "answer": truth, "answer_kind": kind, "targets": {"m": {"text": text}}} for n in range(3)]
    )
    assert some.losses("m").tolist() == [1.0] * 3, "the remark changes no number"
    assert any(note.startswith("3 outputs of “m”") and said in note for note in some.remarks)


@pytest.mark.parametrize(("text", "truth"), FAR)
def test_outputs_that_are_merely_wrong_are_not(text: str, truth: str) -> None:
    assert miss(text, truth) is None


@pytest.mark.parametrize("model", [{}, {"model": "a"}])
def test_outputs_that_contain_one_of_several_right_answers_are_counted(model: dict[str, str]) -> None:
    golds = [["JFK", "John F. Kennedy"], ["Paris", "Paris, France"], ["Nile", "the Nile"], ["Au", "gold"]]
    said = ["It was JFK, of course", "Paris", "Amazon", "It is a metal, gold"]
    rows = [
        {"id": n, "question": f"What is {n}?", "answers": golds[n % 4], "prediction": said[n % 4], **model}
        for n in range(20)
    ]
    rows += [row | {"model": "b"} for row in rows if model]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert any(f"{20 if model else 10} outputs that count as wrong contain one of several" in one for one in pool.notes)
    right = [row | {"prediction": row["answers"][0]} for row in rows]
    assert not any("one of several right" in one for one in read_mapped(lines(right), guess(lines(right)), "m").notes)


@pytest.mark.parametrize(("answer", "kind"), [(r"\{1,2\}", "text"), (r"\{1, 2\}", "text"), ("1,000", "number")])
def test_a_set_is_no_number(answer: str, kind: str) -> None:
    assert kind_of(answer, None) == kind
