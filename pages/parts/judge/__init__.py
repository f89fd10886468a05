"""Page Judge: an automatic grader against people's labels."""
