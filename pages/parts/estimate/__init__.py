"""What page Estimate is made of."""
