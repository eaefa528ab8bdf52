"""Ratings on their way out of the app and into it: files, and what they are made of. Nothing here reads a database."""
