from bestofk.inference import IntervalResult

INTERVAL = IntervalResult(
    procedure="interval of a share", n=100, estimate=0.8, low=0.711, high=0.867, level=0.9,
    estimate_of="accuracy",
)  # fmt: skip


def test_an_interval_shows_its_level():
    assert str(INTERVAL).splitlines() == [
        "interval of a share",
        "  accuracy      0.8",
        "  90% interval  0.711 to 0.867",
        "  n             100 rows",
    ]
    assert repr(INTERVAL) == "IntervalResult(interval of a share: 0.8, 0.711 to 0.867 at 0.9)"
