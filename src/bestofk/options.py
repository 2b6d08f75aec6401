"""Options of public functions, each declared once as a field of a frozen dataclass.

A field says type and default, the docstring of its class documents it, and the class checks it.
`with_options` gives them to a function, whose signature and help list them like its own.
"""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, NamedTuple, TypeVar

_Target = TypeVar("_Target", bound=Callable[..., Any])
_PLACE = re.compile(r"^\*\*options\n(?: +.*\n?)*", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*)\n(?: +.*\n?)+", re.MULTILINE)


def option(
    default: Any, shell: str = "", *, word: str = "", rule: str = "", example: Any = None
) -> Any:
    """Return the field of a dataclass that declares an option.

    Parameters
    ----------
    default : object
        What holds where it is left out.
    shell : str, default=""
        What the help of the command line says; empty where the shell has no such option.
    word : str, default=""
        What the shell calls it, where that is another name.
    rule : str, default=""
        What a study file may give it, such as "a number"; empty where it is no key of one.
    example : object
        A value that a study file may give it; None for the default.
    """
    example = default if example is None else example
    known = {"shell": shell, "word": word, "rule": rule, "example": example}
    return field(default=default, metadata=known)


class Option(NamedTuple):
    """An option as its field declares it: see `option`.

    Attributes
    ----------
    parameter : inspect.Parameter
        Name, type and default.
    entry : str
        Its part of the section "Parameters" of a docstring.
    """

    parameter: inspect.Parameter
    entry: str
    shell: str
    word: str
    rule: str
    example: Any


def declared_options(*kinds: type[Any]) -> dict[str, Option]:
    """Return the options that are fields of dataclasses, by name."""
    options: dict[str, Option] = {}
    for kind in kinds:
        entries = {name: text for base in kind.__mro__ for name, text in _entries(base).items()}
        for name, item in kind.__dataclass_fields__.items():
            if item.metadata:
                parameter = inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=item.type
                )
                options[name] = Option(parameter, entries[name], **item.metadata)
    return options


def with_options(
    arguments: type[Any], known: Mapping[str, Option], **defaults: Any
) -> Callable[[_Target], _Target]:
    """Give options to a function with the parameter ``**options``, or to the making of a class.

    It is called with all of them; those left out have their defaults.

    Parameters
    ----------
    arguments : TypedDict
        Which options, with the types that a type checker reads.
    known : mapping of str to Option
        How they are declared, in the order of the help.
    **defaults
        Other defaults of this function.
    """
    options = {name: item for name, item in known.items() if name in arguments.__annotations__}
    usual = {name: item.parameter.default for name, item in options.items()} | defaults

    def decorate(target: _Target) -> _Target:
        function: Any = vars(target)["__init__"] if isinstance(target, type) else target
        own = inspect.signature(function)
        parameters = [item for item in own.parameters.values() if item.kind != item.VAR_KEYWORD]
        parameters += [options[name].parameter.replace(default=usual[name]) for name in options]
        signature = own.replace(parameters=parameters)

        def call(*positional: Any, **given: Any) -> Any:
            for name in given:
                if name not in signature.parameters:
                    raise TypeError(
                        f"{function.__qualname__}() got an unexpected keyword argument {name!r}"
                    )
            return function(*positional, **(usual | given))

        called: Any = functools.update_wrapper(call, function)
        called.__signature__ = signature
        documented: Any = called
        if isinstance(target, type):
            documented = target
            documented.__init__ = called
        documented.__doc__ = _docstring(target, options)
        result: _Target = documented
        return result

    return decorate


def chosen(kind: type[Any], options: Mapping[str, object]) -> dict[str, Any]:
    """Return those of some options that are fields of a dataclass."""
    return {name: value for name, value in options.items() if name in kind.__dataclass_fields__}


def _entries(item: Any) -> dict[str, str]:
    """Return the entry of each parameter in the docstring of a class or function, by name."""
    text = inspect.cleandoc(item.__doc__ or "").partition("Parameters\n----------\n")[2]
    section = re.split(r"\n\n\S.*\n---", text)[0] + "\n"
    return {
        name: match[0]
        for match in _ENTRY.finditer(section)
        for name in match[1].partition(" : ")[0].split(", ")
    }


def _docstring(target: Any, options: Mapping[str, Option]) -> str | None:
    """Return the docstring with the entries of options that it does not document itself."""
    if target.__doc__ is None:  # python -OO
        return None
    own = _entries(target)
    rest = "".join(item.entry for name, item in options.items() if name not in own)
    return _PLACE.sub(lambda _: rest, inspect.cleandoc(target.__doc__))
