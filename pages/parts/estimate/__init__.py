"""Parts of page Estimate."""
