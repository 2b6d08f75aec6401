"""Registry of all statistical procedures."""

from __future__ import annotations

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.inference import many_data_sets, many_learners, one_test_set, two_learners
from bestofk.inference.procedure import Procedure

PROCEDURES: dict[str, Procedure] = {
    procedure.name: procedure
    for folder in (two_learners, many_learners, one_test_set, many_data_sets)
    for procedure in folder.PROCEDURES
}
_ALIASES = {alias: item.name for item in PROCEDURES.values() for alias in item.aliases}


def procedure(name: str) -> Procedure:
    """Return the procedure of a name.

    Parameters
    ----------
    name : str
        A key of `PROCEDURES` or another spelling of one; underscores do for hyphens.

    Returns
    -------
    Procedure
        With what it takes and how it is run.

    Raises
    ------
    InvalidArgumentError
        If there is no such procedure; the message names the nearest.

    Examples
    --------
    >>> procedure("corrected_t").title
    'corrected resampled t test'
    """
    key = str(name).lower().replace("_", "-")
    key = _ALIASES.get(key, key)
    if key not in PROCEDURES:
        raise InvalidArgumentError(
            f"procedure must be a known one; got {name!r}. " + nearest_name(name, list(PROCEDURES))
        )
    return PROCEDURES[key]
