"""Batch files: the requests of a job as files, and results read back, in any order and in parts."""
