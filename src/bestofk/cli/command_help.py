"""Help of a command: its most used options in groups, or all of them."""

import copy
from collections.abc import Callable
from typing import Any

import click

from bestofk.words import times

_COLUMN = 30  # maximum width of the column of option names


class GroupedHelpCommand(click.Command):
    """Command whose help shows its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, and the number of hidden ones unless all are requested."""
        options = [item for item in self.get_params(ctx) if isinstance(item, click.Option)]
        shown = [item for item in options if not item.hidden or "--help-all" in ctx.obj]
        groups: dict[str, list[Any]] = {}
        for option in map(copy.copy, shown):
            option.hidden = False
            group = getattr(option, "group", "Output")  # --help has none
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


class CommandGroup(click.Group):
    """Group of commands in the order in which they are listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names."""
        return list(self.commands)

    def add(self, name: str, short_help: str = "") -> Callable[[click.Command], click.Command]:
        """Return the decorator that adds a command."""

        def decorate(command: click.Command) -> click.Command:
            command.short_help = short_help
            self.add_command(command, name)
            return command

        return decorate
