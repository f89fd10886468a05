"""A vLLM server of our own: what this machine can serve, starting, watching and ending it."""
