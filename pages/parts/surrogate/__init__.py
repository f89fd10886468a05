"""What page Surrogate is made of."""
