"""Mutated files and options: whatever is handed over ends in a result or in one sentence.

    python -m tests.fuzz 1234           the input of this number, with what came of it
    python -m tests.fuzz 0 50000        all inputs from 0 to 49,999

seeds       valid files of each reader
mutations   what is done to bytes, lines and fields
inputs      which files and which call an input of a number is
checks      what must hold of each input
"""
