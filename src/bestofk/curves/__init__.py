"""How a verdict changes with the conditions: rows to train on, noise, imbalance, costs."""
