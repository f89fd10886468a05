"""Writes the logs under ``fixtures/tools`` by the tools themselves.

    python -m tests.core.readers.write_logs TOOL tests/core/readers/fixtures/tools

Each tool runs in an environment of its own, on the toy benchmark and model of ``toy``; nothing leaves the machine.

==============  =======================================================================================================
``lm_eval``     ``pip install lm-eval[api]==0.4.13``; a server on this machine, and the tool's dummy model
``inspect``     ``pip install inspect-ai==0.3.285``; a solver gives the answers of the mock model
``lighteval``   ``pip install torch lighteval==0.13.0 'xxhash<4'``; a custom model
``promptfoo``   ``npm install promptfoo@0.121.20``, with Node's ``promptfoo`` on the path; a custom provider
``evalscope``   ``pip install evalscope==1.14.1``; a server on this machine
``opencompass`` ``pip install --no-deps opencompass==0.5.4`` and what it then asks for; the class that writes
==============  =======================================================================================================
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.core.readers.toy import ITEMS, SAMPLES, text


def number_of(prompt: str) -> int:
    """Which question a prompt asks last."""
    return int(prompt.rpartition("Which is number ")[2].partition(",")[0])


def server() -> ThreadingHTTPServer:
    """Serve completions, and chat completions, of the toy model: of a question, one sample after the other."""
    times: Counter[int] = Counter()

    class Toy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            number = number_of(json.dumps(given, ensure_ascii=False))
            said = text(number, times[number])
            times[number] += 1
            message = {"role": "assistant", "content": said}
            choice = {"index": 0, "text": said, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            kind = "chat.completion" if "messages" in given else "text_completion"
            reply = {"id": "1", "object": kind, "created": 1, "model": "toy", "choices": [choice], "usage": usage}
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Toy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def lm_eval(folder: Path) -> None:
    """Two tasks: texts with repeats and two filters from a server, and log-likelihoods of options from the dummy."""
    with tempfile.TemporaryDirectory() as home:
        data = Path(home) / "items.jsonl"
        data.write_text("".join(json.dumps(item) + "\n" for item in ITEMS), encoding="utf-8")
        common = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(data)}}, "test_split": "test"}
        regex = {"function": "regex", "regex_pattern": "ANSWER: ([A-D])"}
        written = common | {
            "task": "toy_texts",
            "output_type": "generate_until",
            "doc_to_text": "{{question}}",
            "doc_to_target": "{{answer}}",
            "repeats": SAMPLES,
            "generation_kwargs": {"until": ["###"], "do_sample": True},
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
            "filter_list": [
                {"name": "strict", "filter": [regex, {"function": "take_first"}]},
                {"name": "maj", "filter": [regex, {"function": "majority_vote"}, {"function": "take_first"}]},
            ],
        }
        options = common | {
            "task": "toy_options",
            "output_type": "multiple_choice",
            "doc_to_text": "{{question}}",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "{{['A','B','C','D'].index(answer)}}",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        }
        for task in (written, options):
            # JSON is YAML.
            (Path(home) / f"{task['task']}.yaml").write_text(json.dumps(task), encoding="utf-8")
        url = f"http://127.0.0.1:{server().server_address[1]}/v1/completions"
        models = {
            "toy_texts": ["local-completions", "--model_args", f"model=toy,base_url={url},tokenizer_backend=None"],
            "toy_options": ["dummy"],
        }
        for name, model in models.items():
            where = ["--tasks", name, "--include_path", home, "--output_path", str(Path(home) / "out"), "--log_samples"]
            subprocess.run(["lm_eval", "run", "--model", *model, *where], check=True)
        for path in (Path(home) / "out").rglob("samples_*.jsonl"):
            shutil.copy(path, folder / ("lm_eval_" + path.name.split("_2")[0].removeprefix("samples_") + ".jsonl"))


def inspect(folder: Path) -> None:
    """Two scorers and several epochs, as .eval (Zstandard) and as .json."""
    import inspect_ai as ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import answer, includes
    from inspect_ai.solver import solver

    @solver
    def toy() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            said = text(int(state.sample_id[1:]), state.epoch - 1)
            state.output = ModelOutput.from_content("mockllm/model", said)
            state.messages.append(state.output.message)
            return state

        return solve

    samples = [
        Sample(input=item["question"], choices=item["choices"], target=item["answer"], id=item["id"],
               metadata={"subject": "numbers"})
        for item in ITEMS
    ]  # fmt: skip
    task = ai.Task(dataset=samples, solver=toy(), scorer=[answer("letter"), includes()], epochs=SAMPLES, name="toy")
    for form in ("eval", "json"):
        # Outside of the repository, whose commit it would record.
        with tempfile.TemporaryDirectory() as logs, contextlib.chdir(logs):
            (log,) = ai.eval(task, model="mockllm/model", log_dir=logs, log_format=form, display="none")
            content = Path(str(log.location).removeprefix("file://")).read_bytes()
            if form == "json":
                (folder / "inspect.json.gz").write_bytes(gzip.compress(content, mtime=0))
            else:
                (folder / "inspect.eval").write_bytes(content)


_PROVIDER = """
const texts = %s, asked = {};
module.exports = class {
  id() { return "toy"; }
  async callApi(prompt, context) {
    const id = context.vars.id;
    asked[id] = (asked[id] ?? -1) + 1;
    return { output: texts[id][asked[id]] };
  }
};
"""


def promptfoo(folder: Path) -> None:
    """Repeats of each test, judged by an assertion; as JSON, JSON Lines and CSV."""
    texts = {item["id"]: [text(number, k) for k in range(SAMPLES)] for number, item in enumerate(ITEMS, start=1)}
    tests = [
        {"vars": {"id": item["id"], "question": item["question"], "expected": item["answer"]},
         "assert": [{"type": "contains", "value": f"ANSWER: {item['answer']}"}]}
        for item in ITEMS
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "toy.js").write_text(_PROVIDER % json.dumps(texts), encoding="utf-8")
        config = {"prompts": ["Answer: {{question}}"], "providers": ["file://toy.js"], "tests": tests}
        (Path(home) / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
        outputs = [f"promptfoo.{form}" for form in ("json", "jsonl", "csv")]
        command = ["promptfoo", "eval", "-c", "promptfooconfig.json", "--repeat", str(SAMPLES), "-j", "1", "--no-cache"]
        quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": home}
        subprocess.run([*command, "--no-write", "-o", *outputs], cwd=home, env=os.environ | quiet, check=False)
        for name in outputs:
            content = (Path(home) / name).read_bytes()
            (folder / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))


def lighteval(folder: Path) -> None:
    """A custom model on a custom task with several samples."""
    spec = importlib.util.find_spec("lighteval")
    assert spec is not None and spec.origin is not None
    # Where a task that is loaded with all others would download it.
    (Path(spec.origin).parent / "tasks" / "tasks" / "tinyBenchmarks.pkl").touch()
    with tempfile.TemporaryDirectory() as home:
        data = Path(home) / "data"
        data.mkdir()
        (data / "test.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS), encoding="utf-8")
        (Path(home) / "task.py").write_text(_TASK % (SAMPLES, str(data)), encoding="utf-8")
        (Path(home) / "model.py").write_text(_MODEL, encoding="utf-8")
        # A task that is loaded with all others looks its judge up, by a parameter that the hub's client no longer has.
        patch = "import huggingface_hub\nhuggingface_hub.HfApi.list_models = lambda *_, **__: ['judge']\n"
        (Path(home) / "sitecustomize.py").write_text(patch, encoding="utf-8")
        command = ["lighteval", "custom", "toy", "model.py", "toy", "--custom-tasks", "task.py", "--save-details"]
        quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": home, "PYTHONPATH": f"{os.getcwd()}:{home}"}
        subprocess.run([*command, "--output-dir", "out"], cwd=home, env=os.environ | quiet, check=True)
        (path,) = Path(home).rglob("details_*.parquet")
        shutil.copy(path, folder / "lighteval.parquet")


_TASK = """
from lighteval.metrics.metrics_sample import SampleLevelComputation, SamplingMetric
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod
import numpy as np

class Right(SamplingMetric, SampleLevelComputation):
    def num_samples(self):
        return %d

    def compute(self, doc, model_response, **_):
        return float(f"ANSWER: {doc.get_golds()[0]}" in model_response.text[0])

right = SampleLevelMetric(metric_name="right", sample_level_fn=Right(), category=SamplingMethod.GENERATIVE,
                          corpus_level_fn=np.mean, higher_is_better=True)

def prompt(line, task_name=None):
    return Doc(task_name=task_name, query=line["question"], choices=list("ABCD"),
               gold_index="ABCD".index(line["answer"]))

TASKS_TABLE = [LightevalTaskConfig(name="toy", prompt_function=prompt, hf_repo=%r, hf_subset="default",
    evaluation_splits=["test"], hf_avail_splits=["test"], metrics=[right], generation_size=64)]
"""

_MODEL = """
from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.utils.cache_management import SampleCache
from tests.core.readers.toy import text
from tests.core.readers.write_logs import number_of

class Toy(LightevalModel):
    def __init__(self, config):
        self.config = config
        self._cache = SampleCache(config)

    def greedy_until(self, docs):
        return [ModelResponse(text=[text(number_of(doc.query), k) for k in range(doc.num_samples)]) for doc in docs]

    def loglikelihood(self, docs):
        raise NotImplementedError("The toy benchmark asks for texts alone.")

    def loglikelihood_rolling(self, docs):
        raise NotImplementedError("The toy benchmark asks for texts alone.")

    @property
    def tokenizer(self):
        return None

    @property
    def add_special_tokens(self):
        return False

    @property
    def max_length(self):
        return 2048
"""


def evalscope(folder: Path) -> None:
    """Options of a dataset of one's own, asked several times from a server."""
    import evalscope as tool

    with tempfile.TemporaryDirectory() as home, contextlib.chdir(home):
        rows = [
            {"id": item["id"], "question": item["question"], "answer": item["answer"]}
            | dict(zip("ABCD", item["choices"], strict=True))
            for item in ITEMS
        ]
        data = Path(home) / "data"
        data.mkdir()
        (data / "toy_val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        arguments = {
            "local_path": str(data),
            "subset_list": ["toy"],
            "prompt_template": "{question}\n{choices}\n{letters}",
        }
        url = f"http://127.0.0.1:{server().server_address[1]}/v1"
        tool.run_task(
            tool.TaskConfig(
                model="toy", api_url=url, api_key="none", eval_type="openai_api", work_dir=home,
                datasets=["general_mcq"], dataset_args={"general_mcq": arguments}, repeats=SAMPLES, eval_batch_size=1,
                no_timestamp=True,
            )
        )  # fmt: skip
        for kind in ("reviews", "predictions"):
            (path,) = (Path(home) / kind).rglob("*.jsonl")
            shutil.copy(path, folder / f"evalscope_{kind}.jsonl")


def opencompass(folder: Path) -> None:
    """The whole data set asked several times over, by the class that writes a model's predictions."""
    from opencompass.openicl.icl_inferencer.icl_base_inferencer import GenInferencerOutputHandler

    handler = GenInferencerOutputHandler()
    for sample in range(SAMPLES):
        for number, item in enumerate(ITEMS, start=1):
            prompt = [{"role": "HUMAN", "prompt": item["question"]}]
            place = sample * len(ITEMS) + number - 1
            handler.save_results(prompt, text(number, sample), place, gold=item["answer"])
    handler.write_to_json(str(folder), "opencompass.json")


TOOLS = {
    "lm_eval": lm_eval,
    "inspect": inspect,
    "promptfoo": promptfoo,
    "lighteval": lighteval,
    "evalscope": evalscope,
    "opencompass": opencompass,
}

if __name__ == "__main__":
    out = Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    TOOLS[sys.argv[1]](out)
