"""Parts of page Surrogate."""
