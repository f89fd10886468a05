"""What page Overview is made of."""
