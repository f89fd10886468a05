"""Page Models: which of several models is best, and all of them side by side."""
