"""Parts of page Pool."""
