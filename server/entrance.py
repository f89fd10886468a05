"""Who gets in while the app is shared: people with the access code, and annotators with a link."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from hashlib import sha256

# Without 0, O, 1 and I, which people mix up: 5 bits each.
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_GROUPS, _GROUP = 3, 4
ENTRY_SECONDS = 12 * 3600
FAILURES, FAILURE_SECONDS = 5, 60.0
_MOST_ADDRESSES = 10_000


class Entrance:
    """The access code, who came in with it, and who guessed wrongly.

    Everything is forgotten when the server ends. Codes and cookies are compared in constant time.

    Parameters
    ----------
    announce : callable
        Called with each new access code.
    clock : callable
        Seconds that only grow.
    """

    def __init__(self, announce: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._announce = announce
        self._clock = clock
        self._entries: dict[str, float] = {}
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._code = ""
        self.renew()

    def renew(self) -> None:
        """Make the next access code, and announce it."""
        letters = [secrets.choice(_LETTERS) for _ in range(_GROUPS * _GROUP)]
        self._code = "".join(letters)
        self._announce("-".join(self._code[at : at + _GROUP] for at in range(0, len(letters), _GROUP)))

    def enter(self, given: str, address: str) -> str | None:
        """Take an access code, which then is spent, and return the cookie that lets its bearer in.

        Parameters
        ----------
        given : str
            What somebody typed; case, spaces and hyphens do not matter.
        address : str
            Where it was typed.

        Returns
        -------
        str or None
            None if the code is another, or the address has guessed too often.
        """
        if self.waits(address):
            return None
        plain = "".join(letter for letter in given.upper() if letter.isalnum())
        if not hmac.compare_digest(_hashed(plain), _hashed(self._code)):
            self.fail(address)
            return None
        self.renew()
        cookie = secrets.token_urlsafe(32)
        now = self._clock()
        self._entries = {entry: end for entry, end in self._entries.items() if end > now}
        self._entries[_hashed(cookie)] = now + ENTRY_SECONDS
        return cookie

    def entered(self, cookie: str) -> bool:
        """Whether a cookie was handed out here, and still counts."""
        hashed = _hashed(cookie)
        ends = [end for entry, end in self._entries.items() if hmac.compare_digest(entry, hashed)]
        return any(end > self._clock() for end in ends)

    def fail(self, address: str) -> None:
        """Note a wrong guess."""
        self._failures.setdefault(address, deque(maxlen=FAILURES)).append(self._clock())
        self._failures.move_to_end(address)
        while len(self._failures) > _MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def waits(self, address: str) -> bool:
        """Whether this address has to wait before its next guess."""
        failures = self._failures.get(address)
        return failures is not None and len(failures) == FAILURES and self._clock() - failures[0] < FAILURE_SECONDS


def _hashed(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
