"""Identity of learners and of code: what must be equal for a stored run to be used again."""
