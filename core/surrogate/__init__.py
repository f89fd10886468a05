"""Generating: a pool of prompts in, k generations per item out, kept in NEYMAN_HOME.

One client speaks to every server with OpenAI's interface; a local GPU means a vLLM server that is started, watched and
ended here. A job is a row of ``neyman.sqlite`` and a process of its own (``python -m core.surrogate``); whoever wants
to know how it goes reads the row.

    settings ──► control ──► worker ──► client ──► server (a child, or somebody else's)
                    │           │
                    └── store ──┘──► results (back into a pool)
"""
