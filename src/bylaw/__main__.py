"""`python -m bylaw` is `bylaw`."""

from bylaw.cli import main

main()
