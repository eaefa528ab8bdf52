"""What the command line does: one module per command, each with `run(options) -> exit status`."""
