"""Parts that the pages share."""
