"""The command line: words of a shell become calls of the package, and results text.

app                     commands by name; every error becomes one sentence and an exit code
compare_command         data and learners in, a verdict out
recommend_command       data in, learners tried in the order of earlier results, a pick out
compare_scores_command  a table of scores in, a verdict out
curve_commands          verdicts under changing conditions
calibrate_command       rejection rates of tests among equal learners
store_commands          what a store holds
list_commands           what can be named
options                 every option, declared once
arguments               words of the shell as arguments of the library
findings_output         verdicts in every format
terminal                where output goes

Nothing heavy is imported before the arguments are understood.
"""

from bestofk.cli.app import main

__all__ = ["main"]
