"""Picture of tuning: inner losses of all settings, and which were chosen how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import SMALL, curve_style, ink
from bestofk.report.plots.labels import headline, label_height, label_scale
from bestofk.report.plots.scales import scale_title, show_scale

# Lines that can be distinguished.
_MOST_LINES: Final = 6
# Largest over smallest value beyond which the scale is logarithmic.
_WIDE: Final = 50.0
# Distance of what is no number from the smallest number, as a share of the scale.
_SLOT: Final = 0.15
# Area of a circle, in square points, for a setting that all splits chose.
_AREA: Final = 260.0


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
    >>> display.frame().round(2).values.tolist()
    [[1, 0.3, 0.0, False], [3, 0.1, 1.0, False], [5, 0.2, 0.0, True]]
    """

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

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per setting.

        Returns
        -------
        DataFrame
            A column per parameter, mean_inner_loss (over splits), chosen (share of splits),
            is_default.
        """
        share = np.bincount(self.chosen, minlength=len(self.settings)) / len(self.chosen)
        return pd.DataFrame(self.settings).assign(
            mean_inner_loss=self._means,
            chosen=share,
            is_default=[index == self.default for index in range(len(self.settings))],
        )

    @property
    def _means(self) -> NDArray[np.float64]:
        is_known = np.isfinite(self.losses)
        sums = np.where(is_known, self.losses, 0.0).sum(axis=0)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / np.where(is_known.any(axis=0), is_known.sum(axis=0), np.nan))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 4.2

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
        means, parameter = self._means, self.parameter
        x, slots, is_log = self._scale(parameter)
        if is_log:
            ax.set_xscale("log")
        share = self.frame()["chosen"].to_numpy()
        lines: dict[str, list[int]] = {}
        for index in sorted(range(len(x)), key=lambda index: float(x[index])):
            if np.isfinite(means[index]):
                lines.setdefault(_rest(self.settings[index], parameter), []).append(index)
        best = sorted(lines, key=lambda key: float(means[lines[key]].min()))[:_MOST_LINES]
        for number, name in enumerate(key for key in lines if key in best):
            own, style = np.array(lines[name]), curve_style(number)
            on_scale = own[~np.isin(x[own], list(slots))]
            ax.plot(x[on_scale], means[on_scale], label=name or None, **style)
            ax.scatter(
                x[own], means[own], s=_AREA * share[own], color=style["color"], alpha=0.55, zorder=3
            )
        if self.default is not None:
            at_default = x[self.default], means[self.default]
            ax.plot(*at_default, "s", ms=8, mfc="none", mec=ink(), zorder=4)
        if slots:
            _name_slots(ax, slots, float(min(set(x.tolist()) - set(slots))))
        if len(best) > 1:
            ax.legend(fontsize=SMALL, frameon=False)
        kept = float(share[self.default]) if self.default is not None else 0.0
        headline(ax, f"The default was kept in {kept:.0%} of {len(self.chosen)} splits")
        label_scale(ax, parameter or "setting", "circles: chosen; square: default")
        label_height(ax, f"{scale_title(self.measure_title)}, inner mean")
        show_scale(ax.yaxis, self.measure_title)

    def _scale(self, parameter: str | None) -> tuple[NDArray[np.float64], dict[float, str], bool]:
        """Return x of every setting, what is no number by its x, and whether it is logarithmic.

        What is no number, as None, has its own place left of the smallest number.
        """
        if parameter is None:
            return np.arange(len(self.settings), dtype=float), {}, False
        values: list[Any] = [setting.get(parameter) for setting in self.settings]
        numbers = [float(value) for value in values if _is_number(value)]
        low, high = min(numbers), max(numbers)
        is_log = low > 0 and high > _WIDE * low
        texts = dict.fromkeys(_shown(value) for value in values if not _is_number(value))
        shifts = [-_SLOT * (1 + number) for number in range(len(texts))]
        span = high / low if is_log else high - low
        x_of_text = {
            text: low * span**shift if is_log else low + span * shift
            for text, shift in zip(texts, shifts, strict=True)
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
    return isinstance(value, Real) and not isinstance(value, bool) and value == value
