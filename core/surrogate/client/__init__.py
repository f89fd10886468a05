"""Requests to any server with OpenAI's interface, and what its answers mean."""
