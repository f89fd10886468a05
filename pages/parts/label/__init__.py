"""Parts of page Label."""
