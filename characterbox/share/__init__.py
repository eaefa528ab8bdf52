"""Stories to take along: a file that can be brought in again, and texts to read."""
