"""`python -m characterbox` is the command line."""

from characterbox.cli import main

main()
