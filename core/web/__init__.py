"""Servers that people name, over HTTP: patience where it helps, keys in no sentence, nothing to any other server."""

from .answers import Answer, Body, Redirected, TooLarge, WebError, retry_after
from .client import TOO_MANY, WebClient, wait
from .connection import LOCAL_HOSTS, bearer
from .openai_servers import OpenAIClient, ParallelClient
from .texts import clean, fits_header, looks_secret

__all__ = [
    "LOCAL_HOSTS",
    "TOO_MANY",
    "Answer",
    "Body",
    "OpenAIClient",
    "ParallelClient",
    "Redirected",
    "TooLarge",
    "WebClient",
    "WebError",
    "bearer",
    "clean",
    "fits_header",
    "looks_secret",
    "retry_after",
    "wait",
]
