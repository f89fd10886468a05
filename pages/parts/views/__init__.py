"""How pages draw what they show."""
