"""Pictures of parameters: scores over the values of one, and what a tuned learner chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike

from bestofk import checks
from bestofk.array_types import Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, label_score_height
from bestofk.report.value_labels import is_number, value_labels

PARTS: Final = ("train", "validation", "test")
_STYLES: Final[tuple[dict[str, Any], ...]] = (
    {"color": drawing.VERMILION, "ls": (0, (1.2, 1.2)), "marker": "s", "label": "training rows"},
    {"color": drawing.GREEN, "ls": (0, (5, 1.5)), "marker": "^", "label": "validation rows"},
    {"color": drawing.BLUE, "ls": "-", "marker": "o", "label": "test rows"},
)
_LOG_SPAN: Final = 100  # largest over smallest value from which on an axis is logarithmic
# Lines of settings that can be distinguished.
_MOST_LINES: Final = 6
# Largest over smallest value beyond which the scale of settings is logarithmic.
_WIDE: Final = 50.0
# Distance of what is no number from the smallest number, as a share of the scale.
_SLOT: Final = 0.15
# Area of a circle, in square points, for a setting that all splits chose.
_AREA: Final = 260.0


class ValidationCurveDisplay(Display):
    """Mean score on training, validation and test rows, against the values of a parameter.

    The bands are one standard error over repeats to both sides: how far other divisions of the
    same rows may lie, and nothing about other rows. The axis of numbers is logarithmic where
    they are positive and span two powers of ten; values without an order stand side by side,
    and no line joins them.

    Parameters
    ----------
    values : sequence
        Of the parameter; numbers ascending.
    scores, errors : array-like of shape (3, n_values)
        Means on training, validation and test rows, and their standard errors; nan for no
        point, or no band.
    parameter, measure_title : str
        What was varied, and what the scores are.
    chosen : int or None, default=None
        Index of the value that is marked.

    Raises
    ------
    DesignError
        If shapes do not fit.

    Examples
    --------
    >>> display = ValidationCurveDisplay(
    ...     [1, 10], [[0.0, 0.1], [0.3, 0.2], [0.3, 0.2]], np.zeros((3, 2)),
    ...     parameter="n_neighbors", measure_title="error rate", chosen=1,
    ... )
    >>> display.to_frame()["validation"].tolist()
    [0.3, 0.2]
    """

    def __init__(
        self,
        values: Sequence[Any],
        scores: ArrayLike,
        errors: ArrayLike,
        *,
        parameter: str,
        measure_title: str,
        chosen: int | None = None,
    ) -> None:
        self.values = list(values)
        self.scores, self.errors = (np.asarray(item, dtype=float) for item in (scores, errors))
        wanted = (len(PARTS), len(self.values))
        if self.scores.shape != wanted or self.errors.shape != wanted:
            raise DesignError(
                f"scores and errors of ValidationCurveDisplay must be of shape {wanted}; got "
                f"{self.scores.shape} and {self.errors.shape}. Give training, validation and "
                "test, one column per value."
            )
        self.parameter, self.measure_title, self.chosen = parameter, measure_title, chosen
        self.size = max(5.6, 1.2 + 0.5 * len(self.values)) if not self.is_ordered else 5.6, 3.8

    @classmethod
    def from_curve(cls, curve: Any) -> ValidationCurveDisplay:
        """Take what `bestofk.validation_curve` returned.

        Parameters
        ----------
        curve : ValidationCurve
            Scores by value.

        Returns
        -------
        ValidationCurveDisplay
        """
        frame = curve.to_frame()
        return cls(
            curve.values,
            frame[list(PARTS)].to_numpy(dtype=float).T,
            frame[[f"{part}_error" for part in PARTS]].to_numpy(dtype=float).T,
            parameter=f"{curve.parameter} of {curve.learner}",
            measure_title=curve.measure.title,
            chosen=curve.chosen,
        )

    @property
    def is_ordered(self) -> bool:
        """Return whether the values are numbers."""
        return all(map(is_number, self.values))

    @property
    def is_logarithmic(self) -> bool:
        """Return whether the axis is logarithmic: values above 0 that span two powers of ten."""
        if not self.is_ordered or not self.values or min(self.values) <= 0:
            return False
        return bool(max(self.values) / min(self.values) >= _LOG_SPAN)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame: value, then score and error of training, validation and test."""
        dtype = None if self.is_ordered else object
        columns: dict[str, Any] = {"value": pd.Series(self.values, dtype=dtype)}
        for part, scores, errors in zip(PARTS, self.scores, self.errors, strict=True):
            columns |= {part: scores, f"{part}_error": errors}
        return pd.DataFrame(columns)

    def _draw(self, ax: Axes) -> None:
        places = self.values if self.is_ordered else range(len(self.values))
        x, texts = np.array(places, dtype=float), value_labels(self.values)
        if self.is_logarithmic:
            ax.set_xscale("log")
        for style, scores, errors in zip(_STYLES, self.scores, self.errors, strict=True):
            if self.is_ordered:
                ax.plot(x, scores, ms=4, lw=1.4, **style)
                drawing.draw_band(ax, style["color"], x, scores, errors)
            else:
                points = {**style, "ls": "none", "ms": 5, "capsize": 2}
                ax.errorbar(x, scores, np.nan_to_num(errors), **points)
        if self.chosen is not None:
            value = x[self.chosen]
            ax.axvline(value, color=drawing.GRAY, lw=0.9, zorder=0)
            ax.plot(
                value, self.scores[1, self.chosen], "o", ms=11, mfc="none", mec=drawing.ink(), mew=1
            )
            above = {"xycoords": ("data", "axes fraction"), "xytext": (0, 3), "va": "baseline"}
            drawing.write(ax, f"chosen: {texts[self.chosen]}", (value, 1), ha="center", **above)
        along = np.log(x) if self.is_logarithmic else x
        shown = (
            drawing.with_room(along, drawing.cell_inches(ax))
            if self.is_ordered
            else list(range(len(x)))
        )
        ax.set_xticks(x[shown], [texts[k] for k in shown], parse_math=False)
        ax.xaxis.set_minor_locator(NullLocator())
        if not self.is_ordered:
            ax.set_xlim(-0.5, len(x) - 0.5)
        drawing.x_label(ax, self.parameter)
        label_score_height(ax, self.measure_title)
        drawing.legend_below(ax)


class TuningDisplay(Display):
    """Mean inner loss of the settings of one learner, with the choices of all splits.

    The scale is the parameter with most values; every combination of the others is a line. The
    area of a circle is the share of splits that chose the setting, and the square is the default.
    Inner losses of what was chosen are too good: they chose it.

    Parameters
    ----------
    settings : sequence of mapping of str to value
        All settings that were tried, with the same parameters.
    losses : array-like of shape (n_splits, n_settings), float
        Mean inner loss in every outer split; nan where a setting failed.
    chosen : array-like of shape (n_splits,), int
        Position of the chosen setting.
    default : int or None
        Position of the default; None where there is none.
    measure_title : str, default="inner loss"
        What was measured.

    Raises
    ------
    InvalidArgumentError
        If there is no split, or shapes do not fit.

    Examples
    --------
    >>> settings = [{"k": 1}, {"k": 3}, {"k": 5}]
    >>> display = TuningDisplay(settings, [[0.2, 0.1, 0.3], [0.4, 0.1, 0.1]], [1, 1], 2)
    >>> display.to_frame().round(2).values.tolist()
    [[1, 0.3, 0.0, False], [3, 0.1, 1.0, False], [5, 0.2, 0.0, True]]
    """

    size = (6.4, 4.2)

    def __init__(
        self,
        settings: Sequence[Mapping[str, Any]],
        losses: ArrayLike,
        chosen: ArrayLike,
        default: int | None,
        *,
        measure_title: str = "inner loss",
    ) -> None:
        self.settings = [dict(setting) for setting in settings]
        self.losses = np.asarray(losses, dtype=float)
        self.chosen, self.default = np.asarray(chosen, dtype=int), default
        self.measure_title = measure_title
        if self.losses.shape != (len(self.chosen), len(self.settings)) or not len(self.chosen):
            raise InvalidArgumentError(
                "losses must have a row per split and a column per setting; got shape "
                f"{self.losses.shape} for {len(self.chosen)} splits and {len(self.settings)} "
                "settings."
            )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per setting.

        Returns
        -------
        DataFrame
            A column per parameter, mean_inner_loss (over splits), chosen (share of splits),
            is_default.
        """
        finite = pd.DataFrame(np.where(np.isfinite(self.losses), self.losses, np.nan))
        n_settings = len(self.settings)
        return pd.DataFrame(self.settings).assign(
            mean_inner_loss=finite.mean().to_numpy(),
            chosen=np.bincount(self.chosen, minlength=n_settings) / len(self.chosen),
            is_default=[index == self.default for index in range(n_settings)],
        )

    @property
    def parameter(self) -> str | None:
        """The parameter on the scale: the one with most numbers; None where none has two."""
        counts = {
            name: len({s[name] for s in self.settings if _is_number(s.get(name))})
            for name in dict.fromkeys(name for setting in self.settings for name in setting)
        }
        name = max(counts, key=lambda key: counts[key], default=None)
        return name if name is not None and counts[name] > 1 else None

    def _draw(self, ax: Axes) -> None:
        parameter, table = self.parameter, self.to_frame()
        means, share = table["mean_inner_loss"].to_numpy(), table["chosen"].to_numpy()
        x, slots, is_log = self._scale(parameter)
        if is_log:
            ax.set_xscale("log")
        lines: dict[str, list[int]] = {}
        for index in np.argsort(x, kind="stable"):
            if np.isfinite(means[index]):
                lines.setdefault(_rest(self.settings[index], parameter), []).append(index)
        best = sorted(lines, key=lambda key: float(means[lines[key]].min()))[:_MOST_LINES]
        for number, name in enumerate(key for key in lines if key in best):
            own, style = np.array(lines[name]), drawing.curve_style(number)
            on_scale = own[~np.isin(x[own], list(slots))]
            ax.plot(x[on_scale], means[on_scale], label=name or None, **style)
            circles: dict[str, Any] = {"color": style["color"], "alpha": 0.55, "zorder": 3}
            ax.scatter(x[own], means[own], s=_AREA * share[own], **circles)
        kept = 0.0
        if self.default is not None:
            kept = share[self.default]
            square: dict[str, Any] = {"ms": 8, "mfc": "none", "mec": drawing.ink(), "zorder": 4}
            ax.plot(x[self.default], means[self.default], "s", **square)
        if slots:
            _name_slots(ax, slots, float(min(set(x.tolist()) - set(slots))))
        if len(best) > 1:
            ax.legend(fontsize=drawing.SMALL, frameon=False)
        drawing.headline(ax, f"The default was kept in {kept:.0%} of {len(self.chosen)} splits")
        drawing.x_label(ax, parameter or "setting", "circles: chosen; square: default")
        label_score_height(ax, self.measure_title, ", inner mean")

    def _scale(self, parameter: str | None) -> tuple[Floats, dict[float, str], bool]:
        """Return x of every setting, what is no number by its x, and whether it is logarithmic.

        What is no number, as None, has its own place left of the smallest number.
        """
        if parameter is None:
            return np.arange(len(self.settings), dtype=float), {}, False
        values: list[Any] = [setting.get(parameter) for setting in self.settings]
        numbers = [float(value) for value in values if _is_number(value)]
        low, high = min(numbers), max(numbers)
        is_log = low > 0 and high > _WIDE * low
        span = high / low if is_log else high - low
        texts = dict.fromkeys(_shown(value) for value in values if not _is_number(value))
        shifts = {text: -_SLOT * number for number, text in enumerate(texts, 1)}
        x_of_text = {
            text: low * span**shift if is_log else low + span * shift
            for text, shift in shifts.items()
        }
        x = [float(v) if _is_number(v) else x_of_text[_shown(v)] for v in values]
        return np.array(x), {x_text: text for text, x_text in x_of_text.items()}, is_log


def _name_slots(ax: Axes, slots: Mapping[float, str], low: float) -> None:
    """Name the places left of the smallest number, and leave no number there."""
    limits = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low * (1 - 1e-9) <= tick <= limits[1]]
    ax.set_xticks([*slots, *ticks], [*slots.values(), *(f"{tick:g}" for tick in ticks)])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(limits)


def _rest(setting: Mapping[str, Any], parameter: str | None) -> str:
    return ", ".join(f"{name}={value}" for name, value in setting.items() if name != parameter)


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)


def _is_number(value: Any) -> bool:
    return checks.is_number(value) and value == value
