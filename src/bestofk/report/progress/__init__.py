"""Progress of runs: counted, weighed and shown while they are done."""
