"""A job, its place in the store, and the worker that runs it; knows nothing of the other rooms of the surrogate."""
