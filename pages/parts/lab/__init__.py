"""Parts of page Lab."""
