"""Batches: the requests of a job as files or at a service, and results read back, in any order and in parts."""
