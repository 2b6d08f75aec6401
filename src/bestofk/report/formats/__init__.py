"""Formats of a report: text, Markdown, LaTeX, JSON and HTML."""
