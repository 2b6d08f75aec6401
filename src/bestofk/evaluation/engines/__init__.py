"""Engines, which do blocks of runs: local processes, any executor, a Dask cluster."""
