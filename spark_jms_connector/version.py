"""The version of the package and of its Java helper."""

__version__ = "0.1.0"
