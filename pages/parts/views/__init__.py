"""Drawing of what pages show."""
