"""Pages Plan and Versions: what labels give, what they cost, and what can be decided with them."""
