"""How a verdict changes with the conditions: rows, noise, imbalance, costs, settings."""
