"""Help of a command: its most used options in groups, or all of them."""

import copy
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from bestofk.words import times

_Command = TypeVar("_Command", bound=Callable[..., Any])
_COLUMN = 30  # letters that names of options take at most


class GroupedHelpCommand(TyperCommand):
    """Command whose help has its options in groups: the rich panels that they name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, and how many hidden ones are left out unless all are asked for."""
        options: list[Any] = self.get_params(ctx)
        shown = [item for item in options if not item.hidden or "--help-all" in ctx.obj]
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in map(copy.copy, shown):
            option.hidden = False
            group = option.rich_help_panel or "Output"  # --help has none
            groups.setdefault(group, []).append(option.get_help_record(ctx))
        names = [name for rows in groups.values() for name, _ in rows]
        width = max(len(name) for name in names if len(name) <= _COLUMN)
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in rows], width)
        if len(shown) < len(options):
            more = times(len(options) - len(shown), "more option")
            formatter.write_paragraph()
            formatter.write_text(f"{more}: {ctx.command_path} --help-all")


class CommandGroup(typer.Typer):
    """Group of commands whose help has options in groups."""

    def command(self, name: str | None = None, **others: Any) -> Callable[[_Command], _Command]:
        """Return the decorator that adds a command."""
        return super().command(name, cls=GroupedHelpCommand, **others)
