"""What holds for all tests: no clock decides whether a property holds."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "without a clock",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("without a clock")
