"""Sample the demo pool from the two saved models: ten generations of the surrogate and one of the target per question.

    python sample.py

Log-probabilities are those of the raw model distribution, before temperature, top-k and top-p, and include the end
token: what vLLM reports by default. Questions of one batch have prompts of the same length, so nothing is padded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import torch
from model import END, prompt_ids
from tasks import Task, pool_tasks
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

HERE = Path(__file__).parent
POOL_SEED = 2026
ITEMS = 3000
ROWS = 600
LIMIT = 192


@dataclass(frozen=True, slots=True)
class Sampling:
    """The way in which tokens are drawn; temperature 0 takes the most probable one."""

    temperature: float
    top_p: float
    top_k: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One generation: its text, the sum and the mean of its tokens' log-probabilities."""

    text: str
    logprob: float
    token_logprob: float


PAPER = Sampling(temperature=0.7, top_p=0.8, top_k=20)


class Sampler:
    """A saved model with its tokenizer and its own random generator."""

    def __init__(self, folder: Path, sampling: Sampling, seed: int) -> None:
        self.tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(folder)
        self.model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.sampling = sampling
        self.generator = torch.Generator().manual_seed(seed)

    def prompt(self, question: str) -> list[int]:
        """Token ids of a question through the saved chat template; they must be those of the training."""
        chat = [{"role": "user", "content": question}]
        text = self.tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        ids = self.tokenizer.encode(text, add_special_tokens=False)
        if ids != prompt_ids(question):
            raise ValueError(f"The saved tokenizer reads {question!r} otherwise than the training did.")
        return ids

    def samples(self, questions: list[str], copies: int) -> list[list[Sample]]:
        """``copies`` generations of every question, in the order of the questions."""
        prompts = [self.prompt(question) for question in questions]
        lengths: dict[int, list[int]] = defaultdict(list)
        for number, prompt in enumerate(prompts):
            lengths[len(prompt)].append(number)
        of_question: list[list[Sample]] = [[] for _ in questions]
        share = max(1, ROWS // copies)
        for _, numbers in sorted(lengths.items()):
            for start in range(0, len(numbers), share):
                chosen = numbers[start : start + share]
                rows = [prompts[number] for number in chosen for _ in range(copies)]
                for row, sample in enumerate(self._batch(torch.tensor(rows))):
                    of_question[chosen[row // copies]].append(sample)
        return of_question

    @torch.inference_mode()
    def _batch(self, ids: torch.Tensor) -> list[Sample]:
        """One generation for each row of ``ids`` (rows, prompt length)."""
        rows = len(ids)
        tokens, scores = [], []
        running = torch.ones(rows, dtype=torch.bool)
        past, step = None, ids
        while running.any() and len(tokens) < LIMIT:
            out = self.model(step, past_key_values=past, use_cache=True, logits_to_keep=1)
            past = out.past_key_values
            logits = out.logits[:, -1]
            drawn = torch.where(running, self._draw(logits), END)
            score = logits.log_softmax(-1).gather(1, drawn[:, None])[:, 0]
            tokens.append(drawn)
            scores.append(torch.where(running, score, 0.0))
            running &= drawn != END
            step = drawn[:, None]
        return self._collect(torch.stack(tokens, 1), torch.stack(scores, 1).double())

    def _draw(self, logits: torch.Tensor) -> torch.Tensor:
        """One token per row: temperature, then top-k, then top-p, as vLLM orders them."""
        if self.sampling.temperature == 0.0:
            return logits.argmax(-1)
        top, tokens = (logits / self.sampling.temperature).topk(self.sampling.top_k)
        shares = top.softmax(-1)
        shares = torch.where(shares.cumsum(-1) - shares < self.sampling.top_p, shares, 0.0)
        return tokens.gather(1, torch.multinomial(shares, 1, generator=self.generator))[:, 0]

    def _collect(self, tokens: torch.Tensor, scores: torch.Tensor) -> list[Sample]:
        samples = []
        for row, score in zip(tokens.tolist(), scores.sum(1).tolist(), strict=True):
            length = row.index(END) + 1 if END in row else len(row)
            text = self.tokenizer.decode(row[:length], skip_special_tokens=True)
            samples.append(Sample(text, round(score, 4), round(score / length, 5)))
        return samples


def parameters(model: PreTrainedModel) -> str:
    """A model's size in millions, as a name shows it."""
    return f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f}M"


def items(tasks: list[Task], surrogate: Sampler, target: Sampler) -> list[dict[str, object]]:
    """The pool's items in the native format."""
    questions = [task.question for task in tasks]
    drafts = surrogate.samples(questions, 10)
    finals = target.samples(questions, 1)
    name = f"tiny-target ({parameters(target.model)})"
    counts: dict[str, int] = defaultdict(int)
    rows = []
    for task, draft, (final,) in zip(tasks, drafts, finals, strict=True):
        counts[task.family] += 1
        rows.append(
            {
                "id": f"{task.family.lower().replace(' ', '-')}-{counts[task.family]:04d}",
                "prompt": task.question,
                "answer": task.answer,
                "answer_kind": task.kind,
                "group": task.family,
                "generations": [sample.text for sample in draft],
                "logprobs": [sample.logprob for sample in draft],
                "token_logprobs": [sample.token_logprob for sample in draft],
                "targets": {name: {"text": final.text}},
            }
        )
    return rows


def write(rows: list[dict[str, object]], path: Path) -> None:
    """Gzipped JSON Lines, the same bytes for the same rows."""
    lines = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode(), compresslevel=9, mtime=0))


def main() -> None:
    """Sample the pool and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--surrogate", type=Path, default=HERE / "surrogate")
    parser.add_argument("--target", type=Path, default=HERE / "target")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--out", type=Path, default=HERE.parent / "demo.jsonl.gz")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    began = time.monotonic()
    surrogate = Sampler(arguments.surrogate, PAPER, seed=POOL_SEED + 1)
    target = Sampler(arguments.target, PAPER, seed=POOL_SEED + 2)
    rows = items(pool_tasks(POOL_SEED, arguments.items), surrogate, target)
    write(rows, arguments.out)
    print(f"{len(rows)} items in {arguments.out.name}, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
