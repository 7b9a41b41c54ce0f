"""What holds for every test: generated examples are never failed for the time they take."""

from hypothesis import HealthCheck, settings

settings.register_profile("bylaw", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bylaw")
