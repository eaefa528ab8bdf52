"""The rehearsal: an OpenAI-compatible endpoint that improvises by grammar and seed, without a language model."""
