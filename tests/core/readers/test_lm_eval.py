"""lm-evaluation-harness samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.readers import read, read_results

FIXTURE = Path(__file__).parent / "fixtures" / "lm_eval_repeats10_two_filters.jsonl"
STAMP = "2026-01-31T10-00-00.123456"


def doc(number: int | str | None, texts: list[str], score: float | None = 1.0, **other: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": f"What is {number}?", "options": ["x", "y"], "category": "sums"},
        "target": "A",
        "arguments": {"gen_args_0": {"arg_0": f"Question: {number}", "arg_1": {}}},
        "resps": [texts],
        "filtered_resps": texts[:1],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": score,
        **other,
    }


def lines(*docs: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, docs)).encode()


def likelihoods(number: int, *values: float, target: int = 0) -> dict[str, Any]:
    resps = [[[str(value), "False"]] for value in values]
    return doc(number, [], resps=resps, filtered_resps=[], target=str(target), metrics=["acc"], acc=0.0)


def test_repeats_are_the_samples_and_the_first_score_counts() -> None:
    pool = read(FIXTURE)
    assert (pool.n_items, pool.n_generations) == (4, 10)
    assert pool.items.index.tolist() == ["0", "1", "2", "3"]
    assert pool.items.loc["2", ["prompt", "answer", "group"]].tolist() == ["Q2?", "C", "bio"]
    answers = pool.answers()
    assert answers is not None and "".join(map(str, answers[1])) == "BABAAAABAB"
    results = read_results({"a.jsonl": FIXTURE})
    assert results.accuracy == (0.5,) and results.samples == (10,)
    assert any("custom-extract" in note and "maj@10" in note for note in results.notes)
    assert results.pool([], results.models).losses(results.models[0]).tolist() == [0, 0, 1, 1]


def test_files_of_one_run_are_one_model_and_folders_name_models() -> None:
    tasks = {
        f"org__m/samples_sums_{STAMP}.jsonl": lines(doc(0, ["(A)", "(B)"]), doc(1, ["(A)", "(A)"])),
        f"org__m/samples_words_{STAMP}.jsonl": lines(doc(0, ["(B)", "(B)"])),
    }
    results = read_results(tasks)
    assert results.models == ("org/m",) and results.items == (3,)
    assert results.pool(["org/m"], []).name == "sums, words"
    assert results.pool(["org/m"], []).items.index.tolist() == ["sums:0", "sums:1", "words:0"]
    other = {f"big/samples_sums_{STAMP}.jsonl": lines(doc(1, ["(B)"], 0.0), doc(0, ["(A)"]))}
    split = read_results({next(iter(tasks)): next(iter(tasks.values())), **other})
    assert split.default_split().committee == ("org/m",) and split.default_split().targets == ("big",)
    pool = split.pool(["org/m"], ["big"])
    assert pool.losses("big").tolist() == [0, 1] and pool.answers() == [["A", "B"], ["A", "A"]]


def test_the_likeliest_option_is_the_answer() -> None:
    results = read_results(
        {"m.jsonl": lines(likelihoods(0, -3.0, -1.0, target=1), likelihoods(1, -0.5, -2.0, target=1))}
    )
    pool = results.pool(["m"], [])
    assert pool.answers() == [["B"], ["A"]] and pool.items["answer"].tolist() == ["B", "B"]


@pytest.mark.parametrize(
    ("change", "answer", "choices", "prompt"),
    [
        ({"doc": {"passage": "Cats nap.", "question": "Do they?"}}, "B", ["no", "yes"], "Cats nap.\n\nDo they?"),
        ({"doc": {"question": "?", "choices": ["1", "2"]}}, "B", ["1", "2"], "?"),
        ({"target": "y"}, "B", ["x", "y"], "What is 0?"),
    ],
)
def test_right_options_are_letters_as_the_likeliest_are(
    change: dict[str, Any], answer: str, choices: list[str], prompt: str
) -> None:
    arguments = {f"gen_args_{place}": {"arg_0": "Q", "arg_1": f" {text}"} for place, text in enumerate(("no", "yes"))}
    items = read(lines(likelihoods(0, -3.0, -1.0, target=1) | {"arguments": arguments} | change)).items
    assert items.loc["0", ["answer", "prompt", "answer_kind"]].tolist() == [answer, prompt, "choice"]
    assert items.loc["0", "choices"] == choices


def test_requests_without_the_question_are_no_options_and_low_metrics_no_scores() -> None:
    doubled = likelihoods(0, -3.0, -1.0, -0.1, -0.2, target=1) | {
        "metrics": ["acc", "acc_mutual_info"],
        "exact_match": 0,
    }
    low = doc(1, ["(A)"], None, metrics=["brier_score"], brier_score=0.9)
    pool = read(lines(doubled, low), "m")
    # Beside a score, one that is missing stays unknown.
    assert pool.targets["m"].texts == ["B", "(A)"] and pool.losses("m")[0] == 1 and pool.losses("m")[1] != 0
    assert read(lines(low), "m").losses("m").tolist() == [0]


def test_a_doc_that_comes_again_is_left_out_where_it_is_the_same_and_refused_where_not() -> None:
    first, second = doc(0, ["(A)"]), doc(1, ["(A)"])
    pool = read(lines(first, second, first), "m")
    assert pool.losses("m").tolist() == [0, 0] and any("repeat an earlier" in note for note in pool.notes)
    with pytest.raises(PoolError) as caught:
        read(lines(first, second, doc(0, ["(B)"], 0.0), doc(None, ["(A)"])))
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(3, "doc_id"), (4, "doc_id")]


def test_scores_that_are_not_numbers_are_unknown_and_majority_votes_are_not_scores() -> None:
    text = lines(doc(0, ["(A)"]), doc(1, ["(B)"], filter="maj@8")).replace(
        b'"exact_match": 1.0', b'"exact_match": NaN', 1
    )
    results = read_results({"m.jsonl": text})
    assert np.isnan(results.accuracy[0])
    assert any("maj@8" in note for note in results.notes)


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"resps": [[-12.5]]}, 2),
        ({"resps": []}, 2),
        ({"resps": [[["x", "False"]], [["-1", "False"]]]}, 2),
        ({"doc": 3}, 2),
    ],
)
def test_lines_that_hold_no_samples_are_refused_with_their_row(change: dict[str, Any], row: int) -> None:
    with pytest.raises(PoolError) as caught:
        read(lines(doc(0, ["(A)"]), doc(1, ["(A)"]) | change))
    assert [problem.row for problem in caught.value.problems] == [row]


def test_files_are_matched_by_prompts_where_ids_mean_other_questions() -> None:
    small = lines(*(doc(number, ["(A)", "(B)"]) for number in range(4)))
    shifted = [doc(number + 1, ["(B)"], 0.0, doc={"question": f"WHAT is  {number}?"}) for number in range(4)]
    results = read_results({"small.jsonl": small, "big.jsonl": lines(*shifted)})
    assert any("by its prompts: 4 of 4" in note for note in results.notes)
    pool = results.pool(["small"], ["big"])
    assert pool.n_items == 4 and pool.losses("big").tolist() == [1, 1, 1, 1]


def test_what_matches_no_other_item_is_named() -> None:
    small = lines(*(doc(number, ["(A)", "(B)"]) for number in range(4)))
    other = [doc(f"x{number}", ["(B)"], doc={"question": f"What is {number}?"}) for number in range(1, 5)]
    results = read_results({"small.jsonl": small, "big.jsonl": lines(*other)})
    assert any(all(part in note for part in (" big ", ": 1 (x4)")) for note in results.notes)
    assert results.pool(["small"], ["big"]).n_items == 5
    with pytest.raises(PoolError, match="no id of big"):
        strange = [doc(f"x{number}", ["(B)"], doc={"question": f"Who is {number}?"}) for number in range(4)]
        read_results({"small.jsonl": small, "big.jsonl": lines(*strange)})


@pytest.mark.parametrize(
    ("read_as", "scores", "expected"),
    [
        (("1", "3", "0"), (1.0, 0.0, 1.0), ["1", "2", "0"]),
        (("B", "(D)", "A"), (1.0, 0.0, 1.0), ["B", "C", "A"]),
        (("mill", "shop", "barn"), (1.0, 0.0, 1.0), ["B", "C", "A"]),
        # None is right: numbers were answered, or letters.
        (("7", "9", "12"), (0.0, 0.0, 0.0), ["1", "2", "0"]),
        (("C", "A", "B"), (0.0, 0.0, 0.0), ["B", "C", "A"]),
        # Right ones count more than what the others look like.
        (("1", "B", "C"), (1.0, 0.0, 0.0), ["1", "2", "0"]),
    ],
)
def test_gold_digits_beside_options_are_what_the_tool_scored_as_right(
    read_as: tuple[str, ...], scores: tuple[float, ...], expected: list[str]
) -> None:
    row = {"question": "How many?", "choices": ["barn", "mill", "shop", "yard"]}
    docs = [
        doc(
            number,
            [f"So {said}"],
            score,
            doc=row | {"question": f"How many, {number}?"},
            target=gold,
            filtered_resps=[said],
        )
        for number, (said, score, gold) in enumerate(zip(read_as, scores, ("1", "2", "0"), strict=True))
    ]
    pool = read(lines(*docs), "m")
    assert pool.items["answer"].tolist() == expected
    kind = "choice" if expected[0].isalpha() else "number"
    assert pool.items["answer_kind"].tolist() == [kind] * 3 and pool.losses("m").tolist() == [1 - one for one in scores]


def test_two_runs_of_one_model_are_told_apart_by_their_dates() -> None:
    files = {
        f"m/samples_sums_{STAMP.replace('2026', year)}.jsonl": lines(doc(0, ["(A)"]), doc(1, [text], score))
        for year, text, score in (("2026", "(A)", 1.0), ("2027", "(B)", 0.0))
    }
    results = read_results(files)
    assert results.models == ("m (2026-01-31T10-00-00)", "m (2027-01-31T10-00-00)") and results.accuracy == (1.0, 0.5)


def of_one_continuation(number: int, says_it: bool) -> dict[str, Any]:
    """A doc as of LAMBADA: the log-likelihood of its last word, and whether the model would say it."""
    request = {"gen_args_0": {"arg_0": f"Once upon a time {number}", "arg_1": " word"}}
    scores = {"metrics": ["perplexity", "acc"], "perplexity": -1.5, "acc": int(says_it)}
    return doc(number, [], None, resps=[[["-1.5", str(says_it)]]], target=" word", arguments=request, **scores)


def test_a_likelihood_of_one_continuation_is_scored_by_whether_the_model_says_it() -> None:
    results = read_results({"m.jsonl": lines(*(of_one_continuation(n, n % 4 == 0) for n in range(8)))})
    assert results.accuracy == (0.25,)
    pool = results.pool([], ["m"])
    assert pool.items["answer"].tolist() == ["word"] * 8 and pool.losses("m").tolist() == [0, 1, 1, 1] * 2


def test_perplexities_of_texts_are_no_answers_and_stop_no_other_task() -> None:
    metrics = {"metrics": ["word_perplexity", "bits_per_byte"], "word_perplexity": [-3.5, 3]}
    texts = lines(*(doc(n, ["-3.5"], None, **metrics) for n in range(3)))
    with pytest.raises(PoolError, match="perplexities of texts, but no outputs that are right or wrong"):
        read(texts)
    names = [f"m/samples_{task}_{STAMP}.jsonl" for task in ("sums", "wiki")]
    assert read_results(dict(zip(names, [lines(doc(0, ["A"])), texts], strict=True))).items == (1,)
