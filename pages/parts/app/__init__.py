"""What every page stands in: the pool of this tab, the address, the frame, and how files are read."""
