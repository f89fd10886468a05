"""Servers that people name, over HTTP: patience where it helps, keys in no sentence, nothing to any other server."""

from .bodies import Answer, Body, Redirected, TooLarge, WebError, clean, fits_header, looks_secret, retry_after
from .client import LOCAL_HOSTS, TOO_MANY, WebClient, bearer, wait
from .openai_servers import OpenAIClient, ParallelClient

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
