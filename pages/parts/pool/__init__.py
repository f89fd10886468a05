"""What page Pool is made of."""
