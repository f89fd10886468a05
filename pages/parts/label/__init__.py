"""What page Label is made of."""
