"""Train the surrogate or the target from scratch on endless fresh tasks, and save it as a servable directory.

    python train.py surrogate
    python train.py target

A checkpoint in ``work/`` every 200 steps lets an interrupted run go on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import torch
from model import PAD, RECIPES, Recipe, config, generation_config, prompt_ids, reply_ids, tokenizer
from tasks import Task, training_tasks
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import LambdaLR
from transformers import Qwen2ForCausalLM

HERE = Path(__file__).parent
ROW = 160
TOKENIZER_CLASS = "PreTrainedTokenizerFast"  # the name that loaders know across transformers 4 and 5
IGNORED = -100
WARM_UP = 100


@dataclass(frozen=True, slots=True)
class Batch:
    """Tasks packed into rows: all of shape (rows, ROW) but ``mask`` (rows, 1, ROW, ROW), True where one may look."""

    ids: torch.Tensor
    labels: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor


def batches(recipe: Recipe, first: int) -> Iterator[Batch]:
    """Batches from step ``first`` on; each has its own seed, so a resumed run sees the same batches."""
    for step in count(first):
        tasks = islice(training_tasks(recipe.seed * 1_000_000 + step), recipe.batch)
        yield pack([(prompt_ids(task.question), reply_ids(_reply(task, recipe))) for task in tasks])


def _reply(task: Task, recipe: Recipe) -> str:
    return task.worked() if recipe.worked else task.brief()


def pack(pairs: list[tuple[list[int], list[int]]]) -> Batch:
    """Fit prompts with their replies into as few rows as they need, the longest first; only replies carry labels."""
    rows: list[list[tuple[list[int], list[int]]]] = []
    room: list[int] = []
    for prompt, reply in sorted(pairs, key=lambda pair: -len(pair[0]) - len(pair[1])):
        length = len(prompt) + len(reply)
        row = next((number for number, left in enumerate(room) if left >= length), len(rows))
        if row == len(rows):
            rows.append([])
            room.append(ROW)
        rows[row].append((prompt, reply))
        room[row] -= length
    ids, labels, positions, document = ([] for _ in range(4))
    for row, left in zip(rows, room, strict=True):
        ids.append([token for prompt, reply in row for token in prompt + reply] + [PAD] * left)
        labels.append([token for p, r in row for token in [IGNORED] * len(p) + r] + [IGNORED] * left)
        lengths = [len(prompt) + len(reply) for prompt, reply in row] + [left]
        positions.append([place for length in lengths for place in range(length)])
        document.append([number for number, length in enumerate(lengths) for _ in range(length)])
    of_document = torch.tensor(document)
    mask = (of_document[:, :, None] == of_document[:, None, :]).tril()[:, None]
    return Batch(torch.tensor(ids), torch.tensor(labels), torch.tensor(positions), mask)


def train(name: str, recipe: Recipe, work: Path) -> Qwen2ForCausalLM:
    """Train to the recipe's last step and return the model."""
    torch.manual_seed(recipe.seed)
    model = Qwen2ForCausalLM(config(recipe))
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = LambdaLR(optimiser, lambda step: rate(step, recipe))
    work.mkdir(exist_ok=True)
    checkpoint = work / f"{name}.pt"
    step, spent = 0, 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        schedule.load_state_dict(saved["schedule"])
        step, spent = saved["step"], saved["spent"]
    began = time.monotonic() - spent
    for batch in islice(batches(recipe, step), recipe.steps - step):
        loss = backward(model, batch)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
        step += 1
        if step % 50 == 0:
            print(f"{name} step {step} loss {loss:.4f} {time.monotonic() - began:.0f} s", flush=True)
        if step % 200 == 0 or step == recipe.steps:
            states = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
            states |= {"schedule": schedule.state_dict(), "step": step, "spent": time.monotonic() - began}
            torch.save(states, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    return model


def rate(step: int, recipe: Recipe) -> float:
    """The share of the full learning rate at a step, 0 to 1."""
    if step < WARM_UP:
        return step / WARM_UP
    cosine = 0.5 * (1 + math.cos(math.pi * (step - WARM_UP) / (recipe.horizon - WARM_UP)))
    return cosine * min(1.0, (recipe.steps - step) / recipe.cooldown)


def backward(model: Qwen2ForCausalLM, batch: Batch) -> float:
    """One backward pass of the mean loss over the replies' tokens, which it returns."""
    known = batch.labels[:, 1:] != IGNORED
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = model.model(batch.ids, attention_mask=batch.mask, position_ids=batch.positions).last_hidden_state
        logits = model.lm_head(hidden[:, :-1][known])
    loss = cross_entropy(logits.float(), batch.labels[:, 1:][known])
    loss.backward()
    return loss.item()


def save(model: Qwen2ForCausalLM, folder: Path) -> None:
    """Write weights in bfloat16, the precision they were multiplied in, with tokenizer and chat template."""
    model.to(torch.bfloat16).save_pretrained(folder)
    generation_config().save_pretrained(folder)
    tokenizer().save_pretrained(folder, save_jinja_files=False)
    settings = folder / "tokenizer_config.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"tokenizer_class": TOKENIZER_CLASS}, indent=2))


def main() -> None:
    """Train and save the named model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(RECIPES))
    parser.add_argument("--work", type=Path, default=HERE / "work", help="folder of the checkpoints to go on from")
    parser.add_argument("--out", type=Path, help="folder of the finished model")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = train(arguments.name, RECIPES[arguments.name], arguments.work)
    save(model, arguments.out or HERE / arguments.name)


if __name__ == "__main__":
    main()
