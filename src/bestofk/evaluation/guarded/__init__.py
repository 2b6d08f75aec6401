"""Guarded runs: limits of seconds and memory, and child processes that can be ended any moment."""
