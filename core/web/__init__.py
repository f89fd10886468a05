"""Servers that people name, over HTTP: patience where it helps, keys in no sentence, nothing to any other server."""

from .answers import Answer, Body, TooLarge, head_of, retry_after
from .client import TOO_MANY, WebClient, WebError, wait
from .connection import LOCAL_HOSTS, distrust, options
from .texts import clean, fits_header, looks_secret

__all__ = [
    "LOCAL_HOSTS",
    "TOO_MANY",
    "Answer",
    "Body",
    "TooLarge",
    "WebClient",
    "WebError",
    "clean",
    "distrust",
    "fits_header",
    "head_of",
    "looks_secret",
    "options",
    "retry_after",
    "wait",
]
