"""The surroundings of every page: the pool of this tab, the address, the frame, and how files are read."""
