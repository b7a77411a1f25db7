"""The desk of the command line's tests is used here too."""

from ..cli.conftest import _began, desk

__all__ = ["_began", "desk"]
