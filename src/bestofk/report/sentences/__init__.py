"""Sentences of a report, and the paragraph on methods."""
