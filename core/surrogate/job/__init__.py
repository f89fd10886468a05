"""What a job is, where it is kept, and who works on it; knows nothing of the other rooms of the surrogate."""
