"""`python -m claudemem_edge` is the command line."""

from claudemem_edge.cli import main

main()
