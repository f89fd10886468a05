"""Parts of page Overview."""
