"""Page Explore: the paper's design and the recommended one."""
