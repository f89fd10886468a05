"""A server whose answers stray: one too many, too late, or before anybody asked. With real sockets."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Thread

STRAY = 777
"""The number in an answer that nobody asked for."""


def answer_of(number: int, status: str = "200 OK", chunked: bool = False) -> bytes:
    """A chat completion that says a number, as HTTP."""
    choice = {"index": 0, "message": {"role": "assistant", "content": f"{number}"}, "finish_reason": "stop"}
    body = json.dumps({"object": "chat.completion", "model": "m", "choices": [choice]}).encode()
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % len(body)
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n".encode() + length + b"\r\n\r\n" + body


Send = Callable[[bytes], None]


def _late(seconds: float) -> Callable[[Send, int, bool], None]:
    def answer(send: Send, number: int, again: bool) -> None:
        send(answer_of(number))
        time.sleep(seconds)
        send(answer_of(STRAY))

    return answer


def _behind(more: bytes) -> Callable[[Send, int, bool], None]:
    return lambda send, number, again: send(answer_of(number) + more)


def _timed_out(send: Send, number: int, again: bool) -> None:
    """A gateway that gives up on each request once, and passes on what comes of it later."""
    send(answer_of(number) if again else answer_of(STRAY, "504 Gateway Timeout"))
    time.sleep(0.01)
    send(answer_of(STRAY))


# How a request for a number is answered; `again`: it was asked before.
STRAYING: dict[str, Callable[[Send, int, bool], None]] = {
    "twice": lambda send, number, again: send(answer_of(number) * 2),
    "one more in the same piece": _behind(answer_of(STRAY)),
    "many more": _behind(answer_of(STRAY) * 50),
    "one more behind chunks": lambda send, number, again: send(answer_of(number, chunked=True) + answer_of(STRAY)),
    "one more in chunks": _behind(answer_of(STRAY, chunked=True)),
    "one more at once": _late(0.0),
    "one more a moment later": _late(0.002),
    "one more while the next is under way": _late(0.02),
    "an error more": _behind(answer_of(STRAY, "408 Request Timeout")),
    "half of one more": _behind(answer_of(STRAY)[:-20]),
    "a beginning more": _behind(b"HTTP/1.1 200"),
    "bytes behind its length": _behind(b"\r\n\r\n{}"),
    "late after an error": _timed_out,
}


@contextmanager
def straying(answer: Callable[[Send, int, bool], None], speaks_first: int = 0) -> Iterator[str]:
    """A server that answers so; its address. Of so many connections it speaks first on one.

    A request asks for the last number in its body, or else in its path.
    """

    known = set[int]()

    def talk(connection: socket.socket, first: bool) -> None:
        with connection, suppress(OSError):
            if first:
                connection.sendall(answer_of(STRAY))
            received = b""
            while True:
                while b"\r\n\r\n" not in received:
                    received += connection.recv(65536) or _hang_up()
                head, _, received = received.partition(b"\r\n\r\n")
                length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                size = int(length[1]) if length else 0
                while len(received) < size:
                    received += connection.recv(65536) or _hang_up()
                body, received = received[:size], received[size:]
                asked = re.findall(rb"item (\d+)|/(\d+) HTTP", head + body)
                # What a server shows of itself is asked for without a number.
                number = int(b"".join(asked[-1])) if asked else STRAY
                again = number in known
                known.add(number)
                answer(connection.sendall, number, again)

    def accept() -> None:
        numbers = count(1)
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                first = bool(speaks_first) and next(numbers) % speaks_first == 0
                Thread(target=talk, args=(connection, first), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def _hang_up() -> bytes:
    raise ConnectionError
