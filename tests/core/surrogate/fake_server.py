"""A server with OpenAI's interface that behaves as badly as it is told to: ``python fake_server.py '{…}'``.

Without a behaviour it forks a server for each line of its input, which is cheaper than to start as many. A server
prints its port and its process, counts what it was asked and what it answered in full, and tells both at
``GET /stats``. An item is known by the first number in its last message.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import signal
import sys
import time
import zlib
from collections import Counter
from contextlib import suppress
from typing import Any

STATUS = {
    200: "OK",
    301: "Elsewhere",
    302: "Elsewhere",
    303: "Elsewhere",
    307: "Elsewhere",
    308: "Elsewhere",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many",
    500: "Oops",
    422: "No",
}


class Fake:
    """``behaviour``: key, model, refuse (parameter → "openai" | "fastapi" | "plain"), ignore_n, chances (fault →
    probability), retry_after, latency, seed, tokens per completion, answers (number of distinct ones), content,
    hold_after (requests answered before all others wait for ``GET /release``; a list: for one release after the
    other), die_after and hang_after (requests answered before it ends, or answers nothing at all), no_usage (whether it
    reports no tokens), usage and numbers (its tokens and log-probabilities in other words), redirect (a status and the
    location of all requests but those to /redirected/, PATH being that of the request), faults (item → fault), fail
    (after so many answers, a status with its words and headers for all requests, or for so many times), name (of what
    answers), refuse_after (answers before it refuses), most (largest n), engines and waiting (the load that it shows),
    filtered (the choices that a filter takes), index (of every choice), models (that it offers), guides (fields for
    answers to choose from that it heeds), yes (a judge's probability of it), deterministic (whether a choice follows
    from question and seed, of which the choices of a request have consecutive ones), verdicts (what it says of "first →
    second", a pair of answers; of other pairs whether they are equal without articles), thinks (whether the model
    thinks unless a request says otherwise; its template opens the reasoning, so that no text does), cut (item → choices
    that the token limit ends inside their reasoning), reasoning_parser (whether reasoning comes apart, and may be
    limited), unfinished (whether all is reasoning then), endless (items of which one sample has no end), context
    (tokens that prompt and limit may have). ``POST /behave`` changes the behaviour from then on."""

    def __init__(self, behaviour: dict[str, Any]) -> None:
        self.behaviour = behaviour
        self.random = random.Random(behaviour.get("seed", 0))
        self.asked: Counter[str] = Counter()
        self.samples: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.answered = 0
        waiting = behaviour.get("hold_after", [])
        self.holds = [*(waiting if isinstance(waiting, list) else [waiting]), math.inf]
        self.released = asyncio.Event()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.burst_until = 0.0
        self.singles: dict[str, list[Any]] = {}
        self.active = self.most_active = self.active_after_limit = 0
        logprob = {"token": "x", "logprob": -0.25, "bytes": [120], "top_logprobs": []}
        self.logprobs = behaviour.get("numbers", {"content": [logprob] * behaviour.get("tokens", 3)})

    async def serve(self) -> None:
        server = await asyncio.start_server(self.talk, "127.0.0.1", self.behaviour.get("port", 0), backlog=1024)
        print(server.sockets[0].getsockname()[1], os.getpid(), flush=True)
        await server.serve_forever()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
                content = await reader.readexactly(int(length[1])) if length else b""
                if self.answered >= self.behaviour.get("hang_after", math.inf):
                    await asyncio.Event().wait()
                if head.startswith("GET /stats"):
                    writer.write(packed(200, self.stats()))
                elif head.startswith("GET /release"):
                    self.holds = self.holds[1:] or self.holds
                    self.released.set()
                    self.released = asyncio.Event()
                    writer.write(packed(200, {}))
                elif head.startswith("POST /behave"):
                    self.behaviour |= json.loads(content)
                    writer.write(packed(200, {}))
                elif head.startswith("GET /metrics"):
                    counts = f"process_time {time.monotonic()}\nvllm:request_success_total{{}} {self.answered}.0\n"
                    for engine in range(self.behaviour.get("engines", 0)):
                        label = f'{{engine="{engine}"}}'
                        counts += f"vllm:num_requests_running{label} {self.active}.0\n"
                        counts += f"vllm:num_requests_waiting{label} {self.behaviour.get('waiting', 0)}.0\n"
                        counts += f"vllm:generation_tokens_total{label} {self.answered}.0\n"
                    writer.write(packed(200, counts))
                elif head.startswith("GET"):
                    names = self.behaviour.get("models", ["m"])
                    writer.write(packed(200, {"data": [{"id": name} for name in names]}))
                elif self.behaviour.get("redirect") and "/redirected/" not in head.split()[1]:
                    status, place = self.behaviour["redirect"]
                    place = place.replace("PATH", head.split()[1])
                    writer.write(packed(status, {}, f"Location: {place}\r\n"))
                elif not await self.answer(head, json.loads(content), reader, writer):
                    break
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def stats(self) -> dict[str, Any]:
        names = ("asked", "samples", "faults", "bodies", "headers", "most_active")
        return {name: getattr(self, name) for name in names}

    async def answer(
        self, head: str, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; False: the connection is to be cut."""
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            if len(self.bodies) < 200:
                self.bodies.append(body)
                self.headers.append(head)
            if self.behaviour.get("latency"):
                await asyncio.sleep(self.behaviour["latency"])
            error = self.error(head, body)
            if error is not None:
                writer.write(error)
                return True
            self.asked[item_of(body)] += 1
            if self.has_no_end(body):
                await reader.read()
                return False
            while self.answered >= self.holds[0]:
                await self.released.wait()
                # Whoever asked may be gone.
                if reader.at_eof():
                    return False
            if self.answered >= self.behaviour.get("die_after", math.inf):
                sys.exit()
            self.answered += 1
            return await self.complete(body, writer)
        finally:
            self.active -= 1

    def has_no_end(self, body: dict[str, Any]) -> bool:
        """Whether a request asks for the sample without an end: all at once, or the second of those asked singly."""
        item = item_of(body)
        if item not in self.behaviour.get("endless", ()):
            return False
        seeds = self.singles.setdefault(item, [])
        if body.get("n", 1) == 1 and body.get("seed") not in seeds:
            seeds.append(body.get("seed"))
        return body.get("n", 1) > 1 or seeds.index(body.get("seed")) == 1

    def error(self, head: str, body: dict[str, Any]) -> bytes | None:
        key, refuse = self.behaviour.get("key"), self.behaviour.get("refuse", {})
        if key and f"authorization: bearer {key.lower()}" not in head.lower():
            given = re.search(r"authorization: bearer (\S+)", head, re.IGNORECASE)
            words = f"Incorrect API key provided: {given[1] if given else 'none'}."
            return packed(401, {"error": {"message": words, "code": "invalid_api_key"}})
        if body["model"] != self.behaviour.get("model", "m"):
            return packed(404, {"error": {"message": f"The model `{body['model']}` does not exist.", "code": "x"}})
        fail = self.behaviour.get("fail")
        if fail and self.answered >= fail["after"] and fail.get("times", 1) > 0:
            fail["times"] = fail.get("times", math.inf) - 1
            words = {"error": {"message": fail.get("words", "Bad request")}}
            return packed(fail["status"], words, fail.get("headers", ""))
        if body.get("n", 1) > self.behaviour.get("most", math.inf):
            return packed(400, {"error": {"message": f"n must be at most {self.behaviour['most']}", "param": "n"}})
        for name in refuse if self.answered >= self.behaviour.get("refuse_after", 0) else ():
            if name in body:
                return refusal(name, refuse[name])
        if ("prompt" in body) != head.startswith("POST /v1/completions"):
            return packed(404, {"detail": "Not Found"})
        text = text_of(body)
        if "thinking_token_budget" in body and not self.behaviour.get("reasoning_parser", True):
            words = "thinking_token_budget is set but reasoning_config is not configured."
            return packed(400, {"error": {"message": words, "code": 400}})
        room, limit = self.behaviour.get("context", math.inf), body.get("max_tokens", 0)
        if limit + 20 > room:
            words = f"This model's maximum context length is {room} tokens. However, you requested {limit + 20} tokens"
            words += f" (20 in the messages, {limit} in the completion)."
            return packed(400, {"error": {"message": words, "code": 400}})
        if "TOO LONG" in text:
            words = "This model's maximum context length is 256 tokens; your request has 300 input tokens."
            return packed(400, {"error": {"message": words, "code": 400}})
        if "FORBIDDEN" in text:
            return packed(
                400, {"error": {"message": "Filtered due to our content management policy", "code": "content_filter"}}
            )
        return None

    async def complete(self, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        item = item_of(body)
        n = 1 if self.behaviour.get("ignore_n") else body.get("n", 1)
        whole = packed(200, self.completion(body, n))
        fault = self.behaviour.get("faults", {}).get(item) or self.fault()
        if fault is not None:
            self.faults[fault] += 1
            return await self.misbehave(fault, whole, body, writer)
        self.samples[item] += n
        writer.write(whole)
        return True

    def fault(self) -> str | None:
        if time.monotonic() < self.burst_until:
            return "500"
        dice = self.random.random()
        for name, chance in self.behaviour.get("chances", {}).items():
            if dice < chance:
                if name == "burst":
                    self.burst_until = time.monotonic() + 0.1
                    return "500"
                return str(name)
            dice -= chance
        return None

    async def misbehave(self, fault: str, whole: bytes, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        if fault == "429":
            wait = self.behaviour.get("retry_after", "0.05")
            writer.write(packed(429, {"error": {"message": "Rate limit reached"}}, f"Retry-After: {wait}\r\n"))
        elif fault == "500":
            writer.write(packed(500, {"error": {"message": "internal"}}))
        elif fault == "slow":
            half = len(whole) // 2
            writer.write(whole[:half])
            await writer.drain()
            await asyncio.sleep(0.2)
            self.samples[item_of(body)] += body.get("n", 1)
            writer.write(whole[half:])
        elif fault == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.1)
        elif fault == "bomb":
            # Without an end: whoever unpacks all of it takes as much memory as there is.
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
            packer = zlib.compressobj(wbits=31)
            first, next_ = (packer.compress(b" " * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
            await self.write_for_ever(writer, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (first, next_)))
        elif fault == "endless":
            head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n"
            await self.write_for_ever(writer, head, b" " * 100_000)
        elif fault == "error":
            writer.write(packed(200, {"error": {"message": "Provider returned error", "code": 502}}))
        elif fault == "cut":
            writer.write(whole[: len(whole) // 2])
            return False
        elif fault == "drop":
            return False
        elif fault == "invalid":
            writer.write(packed(200, '{"choices": [{"index": 0, "mess'))
        elif fault == "empty":
            writer.write(packed(200, {"choices": [], "usage": None}))
        elif fault == "html":
            writer.write(packed(200, "<html>gateway</html>"))
        return True

    async def write_for_ever(self, writer: asyncio.StreamWriter, first: bytes, then: bytes) -> None:
        writer.write(first)
        while not writer.is_closing():
            writer.write(then)
            await writer.drain()
            # Whoever reads as fast as this writes would leave no turn to the other requests.
            await asyncio.sleep(0)

    def completion(self, body: dict[str, Any], n: int) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": self.behaviour.get("name", "fake-1"),
            "choices": [self.choice(body, index) for index in range(n)],
            "usage": None
            if self.behaviour.get("no_usage")
            else self.behaviour.get(
                "usage", {"prompt_tokens": 11, "completion_tokens": n * self.behaviour.get("tokens", 3)}
            ),
        }

    def verdict(self, first: str, second: str) -> str:
        bare = [re.sub(r"\b(the|an?) ", "", text) for text in (first, second)]
        return str(
            self.behaviour["verdicts"].get(f"{first} → {second}", "neutral" if len({*bare}) > 1 else "Entailment.")
        )

    def choice(self, body: dict[str, Any], index: int) -> dict[str, Any]:
        dice, logprobs = self.random, self.logprobs
        if self.behaviour.get("deterministic"):
            dice = random.Random(f"{body['messages'][-1]['content']}/{body['seed'] + index}")
            logprobs = {"content": [{"token": "x", "logprob": -dice.random()} for _ in logprobs["content"]]}
        answer = dice.randrange(self.behaviour.get("answers", 3))
        content = self.behaviour.get("content", "So it is.\nAnswer: {}").replace("{}", str(answer))
        if "verdicts" in self.behaviour:
            content = self.verdict(*pair_in(text_of(body)))
        if index in self.behaviour.get("filtered", ()):
            return {"index": index, "message": {"content": None}, "finish_reason": "content_filter"}
        for guide in self.behaviour.get("guides", ()):
            if guide in body:
                allowed = body[guide]["choice"] if guide == "structured_outputs" else body[guide]
                content = self.random.choice(allowed)
        if "yes" in self.behaviour and body.get("top_logprobs"):
            share, content = self.behaviour["yes"], "So, yes"
            words = {"Yes": share / 2, " yes": share / 2, "No": (1 - share) / 2, "Maybe": (1 - share) / 2}
            logprobs = [{"token": word, "logprob": math.log(chance)} for word, chance in words.items() if chance]
            logprobs = {"content": [{"token": " yes", "logprob": -0.5, "top_logprobs": logprobs}]}
        if "prompt" in body:
            tokens = [token["logprob"] for token in logprobs["content"]] if "logprobs" in body else None
            ended = {"finish_reason": "stop", "logprobs": tokens and {"token_logprobs": tokens}}
            return {"index": index, "text": f" {content}", **ended}
        message, finish = {"role": "assistant", "content": content}, self.behaviour.get("finish", "stop")
        if body.get("chat_template_kwargs", {}).get("enable_thinking", self.behaviour.get("thinks", False)):
            cut = index in self.behaviour.get("cut", {}).get(item_of(body), ())
            message, finish, logprobs = self.thought(content, cut)
        return {
            "index": self.behaviour.get("index", index),
            "message": message,
            "finish_reason": finish,
            "logprobs": logprobs if body.get("logprobs") else None,
        }

    def thought(self, content: str, cut: bool) -> tuple[dict[str, Any], str, dict[str, Any]]:
        """A message of a model that thinks first, why it ended, and the log-probabilities of all its tokens."""
        reasoning = "I think it is 8, or B."
        words = [(word, -1.0) for word in re.findall(r" ?\S+", reasoning)]
        words += [] if cut else [("</think>", -0.5), ("\n\n", -0.25), *((one, -0.25) for one in content), ("", -0.25)]
        logprobs = {"content": [{"token": word, "logprob": logprob} for word, logprob in words]}
        message: dict[str, Any] = {"content": reasoning if cut else f"{reasoning}</think>\n\n{content}"}
        if self.behaviour.get("reasoning_parser"):
            unanswered = cut or self.behaviour.get("unfinished", False)
            message = {"content": None if unanswered else content, "reasoning": reasoning}
        return message, "length" if cut else "stop", logprobs


def pair_in(text: str) -> tuple[str, str]:
    """The two answers that are compared."""
    return re.search(r"Possible answer 1: (.*)\n\nPossible answer 2: (.*)\n\nDoes", text, re.DOTALL).groups()


def item_of(body: dict[str, Any]) -> str:
    text = str(text_of(body))
    if "Possible answer 1: " in text:
        question = text.split("\n\n")[1]
        return f"{question} {' → '.join(pair_in(text))}"
    return (re.search(r"\d+", text.rpartition("What is item")[2]) or re.search(r"\d+", text) or ["?"])[0]


def text_of(body: dict[str, Any]) -> Any:
    return body["prompt"] if "prompt" in body else body["messages"][-1]["content"]


def refusal(name: str, style: str) -> bytes:
    if style == "openai":
        words = f"Unsupported parameter: '{name}' is not supported with this model."
        if name == "max_tokens":
            words += " Use 'max_completion_tokens' instead."
        return packed(400, {"error": {"message": words, "param": name, "code": "unsupported_parameter"}})
    if style == "fastapi":
        detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
        return packed(422, {"detail": detail})
    return packed(400, {"error": {"message": f"Unrecognized request argument supplied: {name}", "param": None}})


def packed(status: int, body: Any, headers: str = "") -> bytes:
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    head = f"HTTP/1.1 {status} {STATUS.get(status, 'No')}\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


def reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def begun() -> str:
    """The behaviour of the server that this process or a fork of it is to be."""
    if len(sys.argv) > 1:
        return sys.argv[1]
    signal.signal(signal.SIGCHLD, reap)
    for line in sys.stdin:
        if not os.fork():
            return line
    sys.exit()


if __name__ == "__main__":
    asyncio.run(Fake(json.loads(begun())).serve())
