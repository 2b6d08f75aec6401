"""Audits of published tables: the checks that a claim survives."""

from bestofk.audits.audit import Audit, audit
from bestofk.audits.published_table import PublishedTable, read_published

__all__ = ["Audit", "PublishedTable", "audit", "read_published"]
