"""The command `predict`: new rows in, the predictions of a saved pick out."""

from pathlib import Path

from bestofk.cli.options import REQUIRED, Option, takes
from bestofk.cli.terminal import prints_to_messages, write_result


@takes(
    "model data probabilities",
    model=Option(
        REQUIRED,
        "File written by 'bestofk compare --save-model'. It can run code: open only your own.",
        Path,
        "MODEL",
        is_positional=True,
    ),
    probabilities=Option(False, "Print the probability of each class too.", bool),
)
def predict_rows(model: Path, data: str, probabilities: bool) -> None:
    """Predict the rows of DATA with a saved model, and print one CSV line per row."""
    from bestofk.comparison.saved_model import SavedModel

    with prints_to_messages():
        table = SavedModel.load(model).predictions(data, probabilities=probabilities)
    write_result(table.to_csv(index=False))
