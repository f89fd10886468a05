"""What page Lab is made of."""
