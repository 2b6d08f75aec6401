"""Messy CSV files as people have them, made anew to the same bytes.

python -m tests.messy_csv writes the tables of docs/messy-csv.md.
"""

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bestofk.cli.app import BAD_INPUT, main

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "messy-csv.md"
# What the tests add, to be quick.
CLASSIFIERS, REGRESSORS = "majority,nearest-mean,cart", "mean,ridge,cart-regressor"
FAST = ("--cv", "1x3", "--n-jobs", "1")


@dataclass(frozen=True)
class MessyFile:
    """A file, what its owner types, and what matters in the answer.

    Parameters
    ----------
    name : str
        Of the file.
    quirks : str
        What it looks like.
    make : callable
        Gives its content.
    typed : str
        Options typed first.
    says : str
        Part of the line of the answer that matters; of the refusal where there is one.
    advice : str
        What to do next; empty where the file is read as it is.
    typed_next : str
        Options typed after a refusal; empty where the file is read.
    learners : str
        Those that are compared in the tests.
    """

    name: str
    quirks: str
    make: Callable[[np.random.Generator], bytes]
    typed: str
    says: str
    advice: str = ""
    typed_next: str = ""
    learners: str = CLASSIFIERS

    @property
    def content(self) -> bytes:
        """Bytes of the file, each time the same."""
        return self.make(np.random.default_rng(list(self.name.encode())))


@dataclass(frozen=True)
class Outcome:
    """What came of one call of the command line.

    Parameters
    ----------
    code : int
        Exit code: 0 for an answer, 2 for a refusal.
    pick : str
        The learner that was picked; empty without an answer.
    lines : tuple of str
        Notes and warnings on how the file was read, or the sentence that refuses it.
    """

    code: int
    pick: str
    lines: tuple[str, ...]


def run(file: MessyFile, folder: Path, options: str) -> Outcome:
    """Compare cheap learners on a file, as typed in its folder."""
    (folder / file.name).write_bytes(file.content)
    words = [*shlex.split(options), "--learners", file.learners, *FAST, "--json"]
    with (
        chdir(folder),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
    ):
        code = main(["compare", file.name, *words])
    if code == BAD_INPUT:
        return Outcome(code, "", (err.getvalue().strip().removeprefix("bestofk: "),))
    answer = json.loads(out.getvalue())
    return Outcome(code, answer["best"], (*answer["notes"], *answer["warnings"]))


def table_row(file: MessyFile, outcome: Outcome) -> str:
    """Return the row of the page's table: what matters where nothing is to do, else all of it."""
    (said,) = (line for line in outcome.lines if file.says in line)
    cells = (file.quirks, said, file.advice) if file.advice else (file.quirks, file.says)
    return f"| {' | '.join(cells)} |"


def with_tables(page: str, folder: Path) -> str:
    """Return the page with the tables between their marks."""
    for mark, head, files in (
        ("read", "| looks like | read as |\n|---|---|", [f for f in FILES if not f.advice]),
        (
            "yours",
            "| looks like | bestofk says | what to do |\n|---|---|---|",
            [f for f in FILES if f.advice],
        ),
    ):
        start, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
        before, _, rest = page.partition(start)
        rows = [table_row(file, run(file, folder, file.typed)) for file in files]
        table = "\n".join([head, *rows])
        page = f"{before}{start}\n\n{table}\n\n{end}{rest.partition(end)[2]}"
    return page


def _written(
    rows: Iterable[Sequence[object]],
    separator: str = ",",
    *,
    encoding: str = "utf-8",
    end: str = "\r\n",
    quoting: int = csv.QUOTE_MINIMAL,
) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


def _days(rng: np.random.Generator, n_rows: int) -> list[date]:
    return [date(2023, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 600, n_rows)]


def _two_classes(rng: np.random.Generator, score: np.ndarray, words: tuple[str, str]) -> list[str]:
    """Return the first word where a score and noise are above their middle."""
    noisy = score + rng.normal(0, 0.6 * score.std(), len(score))
    return [words[0] if value > np.median(noisy) else words[1] for value in noisy]


def _german(number: float, decimals: int = 2) -> str:
    return f"{number:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def german_customers(rng: np.random.Generator) -> bytes:
    """Semicolons, decimal commas, points between thousands, umlauts of cp1252."""
    n_rows = 120
    revenue, age = rng.lognormal(7, 0.8, n_rows), rng.integers(18, 80, n_rows)
    towns = rng.choice(["München", "Köln", "Düsseldorf", "Gießen"], n_rows)
    left = _two_classes(rng, np.log(revenue) + age / 30, ("ja", "nein"))
    rows = zip(
        range(10001, 10001 + n_rows), towns, age,
        (f"{day:%d.%m.%Y}" for day in _days(rng, n_rows)),
        (f"{_german(value)} €" for value in revenue), left, strict=True,
    )  # fmt: skip
    header = ["Kunden-Nr.", "Ort", "Alter", "Kunde seit", "Umsatz", "Gekündigt"]
    return _written([header, *rows], ";", encoding="cp1252")


def french_clinics(rng: np.random.Generator) -> bytes:
    """Narrow no-break blanks between thousands, codes with leading zeros."""
    n_rows = 120
    beds, cost = rng.integers(20, 400, n_rows), rng.lognormal(10.5, 0.7, n_rows)
    audited = _two_classes(rng, np.log(cost) + beds / 200, ("oui", "non"))
    rows = zip(
        rng.choice(["01", "07", "13", "2A", "75"], n_rows),
        rng.choice(["Privé", "Public", "Associatif"], n_rows), beds,
        (f"{value:,.2f}".replace(",", "\u202f").replace(".", ",") + "\u00a0€" for value in cost),
        (f"{value:.1f}".replace(".", ",") + "\u202f%" for value in rng.uniform(40, 99, n_rows)),
        audited, strict=True,
    )  # fmt: skip
    header = ["Département", "Statut", "Lits", "Coût annuel", "Taux d'occupation", "Contrôlé"]
    return _written([header, *rows], ";", encoding="utf-8-sig")


def us_subscribers(rng: np.random.Generator) -> bytes:
    """Byte order mark, every field in quotes, month before day, $ and commas."""
    n_rows = 120
    months, charges = rng.integers(1, 72, n_rows), rng.lognormal(7.2, 0.9, n_rows)
    churned = _two_classes(rng, -months / 20 + np.log(charges), ("Yes", "No"))
    rows = zip(
        (f"{a:04d}-{b}" for a, b in zip(rng.permutation(n_rows) + 3100, ["QX", "BW"] * 60,
                                        strict=True)),
        (f"{day.month}/{day.day}/{day.year}" for day in _days(rng, n_rows)), months,
        (f"${value:,.2f}" for value in charges),
        rng.choice(["02139", "10001", "60614", "94103"], n_rows), churned, strict=True,
    )  # fmt: skip
    header = ["Customer ID", "Signup Date", "Months", "Total Charges", "ZIP", "Churned?"]
    return _written([header, *rows], encoding="utf-8-sig", quoting=csv.QUOTE_ALL)


def swiss_rents(rng: np.random.Generator) -> bytes:
    """Apostrophes between thousands, CHF, a sum to predict."""
    n_rows = 120
    rooms, area = rng.integers(2, 13, n_rows) / 2, rng.integers(25, 180, n_rows)
    rent = 400 + 12.0 * area + 180 * rooms + rng.normal(0, 120, n_rows)
    rows = zip(
        rng.choice(["Zürich", "Bern", "Genève", "Lugano"], n_rows), rooms, area,
        (f"{int(value):,}".replace(",", "\u2019") for value in rng.normal(9e5, 2e5, n_rows)),
        (f"CHF {value:,.2f}".replace(",", "'") for value in rent), strict=True,
    )  # fmt: skip
    header = ["Ort", "Zimmer", "Fläche m²", "Gebäudewert", "Miete"]
    return _written([header, *rows], ";", encoding="utf-8-sig")


def swedish_unicode_text(rng: np.random.Generator) -> bytes:
    """Excel's "Unicode text": UTF-16 with tabs, decimal commas, blanks between thousands."""
    n_rows = 120
    speed, flow = rng.uniform(0.4, 3.2, n_rows), rng.uniform(900, 45_000, n_rows)
    status = _two_classes(rng, speed + flow / 20_000, ("Läcka", "Tät"))
    rows = zip(
        rng.choice(["Malmö", "Växjö", "Örebro"], n_rows),
        (f"{value:.2f}".replace(".", ",") for value in speed),
        (f"{int(value):,}".replace(",", "\u00a0") for value in flow),
        (f"{day:%Y-%m-%d}" for day in _days(rng, n_rows)), status, strict=True,
    )  # fmt: skip
    header = ["Ort", "Hastighet", "Flöde", "Mätdatum", "Status"]
    return _written([header, *rows], "\t", encoding="utf-16")


def sep_line(rng: np.random.Generator) -> bytes:
    """A first line ``sep=;``, a title, an empty line, then the table."""
    n_rows = 100
    pressure, heat = rng.normal(5.1, 0.6, n_rows), rng.normal(70, 9, n_rows)
    fault = _two_classes(rng, pressure + heat / 20, ("fault", "ok"))
    rows = zip(
        (f"{value:.3f}".replace(".", ",") for value in pressure),
        (f"{value:.1f}".replace(".", ",") for value in heat),
        fault,
        strict=True,
    )
    table = _written([["Pressure bar", "Heat °C", "Result"], *rows], ";").decode()
    return f"sep=;\r\nPump test, plant 4;;\r\n;;\r\n{table}".encode()


def support_tickets(rng: np.random.Generator) -> bytes:
    """Free text over several lines in quotes, ids, e-mail addresses."""
    n_rows = 120
    hours, links = rng.exponential(20, n_rows), rng.integers(0, 5, n_rows)
    words = ["printer", "invoice", "login", "down", "again", "please", "order", "\"urgent\"",
             "the new\nversion", "late; see above", "refund, please"]  # fmt: skip
    texts = [" ".join(rng.choice(words, rng.integers(5, 15))) for _ in range(n_rows)]
    escalated = _two_classes(rng, hours / 10 + links, ("high", "low"))
    rows = zip(
        (f"TCK-{number:06d}" for number in rng.permutation(n_rows) + 88_000),
        (f"user{number}@example.org" for number in rng.integers(1, 900, n_rows)),
        rng.choice(["mail", "phone", "chat"], n_rows), texts, np.round(hours, 1), links,
        escalated, strict=True,
    )  # fmt: skip
    header = ["ticket", "from", "channel", "description", "hours open", "links", "priority"]
    return _written([header, *rows])


def order_dates(rng: np.random.Generator) -> bytes:
    """Dates of three columns in three forms, one of them in several formats at once."""
    n_rows = 120
    value, days = rng.lognormal(4, 0.6, n_rows), _days(rng, n_rows)
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y")
    returned = _two_classes(rng, np.log(value), ("returned", "kept"))
    rows = zip(
        (f"{day:%Y-%m-%d} {hour:02d}:15:00" for day, hour in
         zip(days, rng.integers(0, 24, n_rows), strict=True)),
        (f"{day.month % 12 + 1}/{day.day % 12 + 1}/{day.year}" for day in days),
        (f"{day:{forms[number]}}" for day, number in zip(days, rng.integers(0, 3, n_rows),
                                                         strict=True)),
        (f"{day:%d-%b-%y}" for day in days),
        np.round(value, 2), returned, strict=True,
    )  # fmt: skip
    header = ["ordered at", "due", "shipped", "paid", "value", "outcome"]
    return _written([header, *rows])


def target_gaps(rng: np.random.Generator) -> bytes:
    """A target that is missing in some rows, in three ways."""
    n_rows = 120
    glucose, bmi = rng.normal(110, 25, n_rows), rng.normal(27, 4, n_rows)
    diabetic = np.array(_two_classes(rng, glucose / 25 + bmi / 4, ("positive", "negative")))
    diabetic[rng.choice(n_rows, 9, replace=False)] = np.repeat(["", "n/a", "?"], 3)
    rows = zip(np.round(glucose), np.round(bmi, 1), diabetic, strict=True)
    return _written([["glucose", "bmi", "diagnosis"], *rows])


def rare_classes(rng: np.random.Generator) -> bytes:
    """Classes of one row, and one written in two ways."""
    n_rows = 120
    length, weight = rng.normal(30, 6, n_rows), rng.normal(400, 90, n_rows)
    kinds = np.array(_two_classes(rng, length / 6 + weight / 90, ("perch", "roach")), "<U12")
    kinds[[3, 50]] = ["sturgeon", "eel"]
    kinds[kinds == "roach"] = np.where(rng.random((kinds == "roach").sum()) < 0.2, "Roach", "roach")
    rows = zip(np.round(length, 1), np.round(weight), kinds, strict=True)
    return _written([["length", "weight", "species"], *rows])


def hundred_classes(rng: np.random.Generator) -> bytes:
    """A target of 100 classes written as numbers."""
    n_rows = 600
    shelf = rng.permutation(np.arange(n_rows) % 100 + 1)
    rows = zip(
        np.round(shelf % 10 + rng.normal(0, 0.2, n_rows), 2),
        np.round(shelf // 10 + rng.normal(0, 0.2, n_rows), 2),
        rng.choice(["red", "blue"], n_rows),
        shelf,
        strict=True,
    )
    return _written([["x", "y", "color", "shelf"], *rows])


def wide_export(rng: np.random.Generator) -> bytes:
    """5,000 rows of 100 columns, many of them empty or nearly."""
    n_rows = 5_000
    columns: list[Sequence[object]] = [range(1, n_rows + 1)]
    names = ["record_id"]
    signal = np.zeros(n_rows)
    for k in range(1, 40):
        values = rng.normal(k, 1 + k / 10, n_rows)
        signal += (values - k) * (k < 4)
        gaps = rng.random(n_rows) < (0.02 * k if k < 20 else 0)
        columns.append(["" if gap else f"{x:.2f}" for x, gap in zip(values, gaps, strict=True)])
        names.append(f"q{k}")
    for k in range(1, 16):
        columns.append(rng.choice([f"option {level}" for level in range(1, 3 + k)], n_rows))
        names.append(f"choice_{k}")
    for k in range(1, 41):
        columns.append([""] * n_rows)
        names.append(f"reserved_{k}")
    for k in range(1, 5):
        columns.append(["see note" if x < 0.001 else "" for x in rng.random(n_rows)])
        names.append(f"remark_{k}")
    columns.append(_two_classes(rng, signal, ("accepted", "rejected")))
    names.append("decision")
    return _written([names, *zip(*columns, strict=True)])


def duplicate_names(rng: np.random.Generator) -> bytes:
    """Two columns of one name, one without a name, one empty, blanks around names."""
    n_rows = 100
    first, second = rng.normal(50, 8, n_rows), rng.normal(52, 8, n_rows)
    passed = _two_classes(rng, first + second, ("pass", "fail"))
    rows = zip(
        np.round(first),
        np.round(second),
        rng.choice(["a", "b", "c"], n_rows),
        [""] * n_rows,
        passed,
        strict=True,
    )
    return _written([["score", "score", "", "", " result "], *rows])


def no_header(rng: np.random.Generator) -> bytes:
    """No line of names."""
    n_rows = 120
    a, b = rng.normal(5.8, 0.8, n_rows), rng.normal(3.0, 0.4, n_rows)
    kinds = _two_classes(rng, a - b, ("setosa", "other"))
    return _written(zip(np.round(a, 1), np.round(b, 1), kinds, strict=True), end="\n")


def total_row(rng: np.random.Generator) -> bytes:
    """A title above, a total and notes below the table."""
    n_rows = 60
    staff, area = rng.integers(3, 40, n_rows), rng.integers(80, 900, n_rows)
    sales = 900 * staff + 40 * area + rng.normal(0, 4_000, n_rows)
    rows = [
        [f"Branch {number}", a, b, f"{c:.2f}"]
        for number, (a, b, c) in enumerate(zip(staff, area, sales, strict=True), 1)
    ]
    total = ["Total", staff.sum(), area.sum(), f"{sales.sum():.2f}"]
    table = _written([["Branch", "Staff", "Area", "Sales"], *rows, total]).decode()
    notes = "\r\nSource: finance department\r\nPrinted 03/02/2024 by jd\r\n"
    return f"Sales by branch 2023\r\n\r\n{table}{notes}".encode()


def percent_currency(rng: np.random.Generator) -> bytes:
    """Percent signs, currencies, losses in parentheses, and a column of two currencies."""
    n_rows = 120
    margin, profit = rng.normal(12, 6, n_rows), rng.normal(3_000, 9_000, n_rows)
    kept = _two_classes(rng, margin / 6 + profit / 9_000, ("keep", "sell"))
    rows = zip(
        (f"{value:.1f}%" for value in margin),
        (f"(${-value:,.0f})" if value < 0 else f"${value:,.0f}" for value in profit),
        (f"{sign}{value:.2f}" for sign, value in
         zip(rng.choice(["€", "$"], n_rows), rng.uniform(1, 99, n_rows), strict=True)),
        kept, strict=True,
    )  # fmt: skip
    return _written([["margin", "profit", "unit price", "decision"], *rows])


def mixed_types(rng: np.random.Generator) -> bytes:
    """Numbers with texts among them: limits of detection, estimates, remarks."""
    n_rows = 120
    lead, hardness = rng.lognormal(1.2, 0.8, n_rows), rng.normal(14, 4, n_rows)
    safe = _two_classes(rng, np.log(lead) + hardness / 8, ("unsafe", "safe"))
    rows = zip(
        (f"<{1.5}" if value < 1.5 else f"{value:.1f}" for value in lead),
        (f"ca. {value:.0f}" if k % 4 == 0 else f"{value:.1f}" for k, value in enumerate(hardness)),
        (["not measured", "broken", "12", "15.5", "9", "11.25"][k % 6] for k in range(n_rows)),
        (f"{value} cm" for value in rng.integers(10, 90, n_rows)),
        safe, strict=True,
    )  # fmt: skip
    return _written([["lead", "hardness", "turbidity", "depth", "verdict"], *rows])


def pandas_index(rng: np.random.Generator) -> bytes:
    """A first column without a name that counts the rows, as pandas writes it."""
    n_rows = 120
    width, depth = rng.normal(8, 1, n_rows), rng.normal(3, 0.5, n_rows)
    kinds = _two_classes(rng, width + depth, ("1", "0"))
    rows = zip(range(n_rows), np.round(width, 3), np.round(depth, 3), kinds, strict=True)
    return _written([["", "width", "depth", "label"], *rows], end="\n")


def numbers_as_text(rng: np.random.Generator) -> bytes:
    """Numbers in quotes, with blanks around them or an apostrophe in front."""
    n_rows = 120
    speed, load = rng.normal(80, 15, n_rows), rng.normal(1_500, 400, n_rows)
    worn = _two_classes(rng, speed / 15 + load / 400, ("worn", "fine"))
    rows = zip(
        (f"  {value:.1f} " for value in speed),
        (f"'{value:.0f}" for value in load),
        (f'="{value}"' for value in rng.integers(100, 999, n_rows)),
        worn,
        strict=True,
    )
    return _written([["speed", "load", "machine", "state"], *rows], quoting=csv.QUOTE_ALL)


def x_or_blank(rng: np.random.Generator) -> bytes:
    """Boxes that are ticked with an x or left blank, in the target as well."""
    n_rows = 120
    age = rng.integers(18, 90, n_rows)
    boxes = rng.random((3, n_rows)) < 0.4
    ill = _two_classes(rng, age / 20 + boxes[0] * 1.5, ("x", ""))
    rows = zip(age, *(np.where(box, "x", "") for box in boxes), ill, strict=True)
    return _written([["age", "smoker", "diabetes", "asthma", "readmitted"], *rows], ";")


def constant_columns(rng: np.random.Generator) -> bytes:
    """Constant columns, blank lines between rows, blanks around fields."""
    n_rows = 100
    dose, weight = rng.uniform(1, 9, n_rows), rng.normal(70, 12, n_rows)
    healed = _two_classes(rng, dose - weight / 20, ("yes", "no"))
    lines = ["site , version, dose , weight , healed"]
    for k, (a, b, c) in enumerate(zip(dose, weight, healed, strict=True)):
        lines.append(f"Oslo , 2.1, {a:.2f} , {b:.1f} , {c} ")
        lines += ["", " "] if k % 20 == 19 else []
    return "\r\n".join(lines).encode()


def outliers(rng: np.random.Generator) -> bytes:
    """Prices to predict, three of them typed with too many zeros."""
    n_rows = 120
    area, age = rng.uniform(40, 200, n_rows), rng.integers(0, 60, n_rows)
    price = 3_000 * area - 1_500 * age + rng.normal(0, 20_000, n_rows)
    price[[7, 40, 99]] *= 1_000
    rows = zip(np.round(area, 1), age, np.round(price).astype(int), strict=True)
    return _written([["area", "age", "price"], *rows])


def daily_sales(rng: np.random.Generator) -> bytes:
    """One row per day, each like the day before."""
    n_rows = 200
    level = np.cumsum(rng.normal(0, 3, n_rows)) + 200
    rows = zip(
        (f"{date(2024, 1, 1) + timedelta(days=k):%Y-%m-%d}" for k in range(n_rows)),
        rng.choice(["dry", "rain"], n_rows),
        rng.integers(0, 2, n_rows),
        np.round(level, 1),
        strict=True,
    )
    return _written([["date", "weather", "promotion", "sales"], *rows])


def leaking_target(rng: np.random.Generator) -> bytes:
    """A column that is the target under another name."""
    n_rows = 120
    income, debt = rng.lognormal(10, 0.4, n_rows), rng.lognormal(8, 0.9, n_rows)
    defaulted = _two_classes(rng, np.log(debt) - np.log(income), ("default", "paid"))
    rows = zip(
        np.round(income),
        np.round(debt),
        ("D9" if d == "default" else "P0" for d in defaulted),
        defaulted,
        strict=True,
    )
    return _written([["income", "debt", "status code", "outcome"], *rows])


FILES = (
    MessyFile(
        "german.csv",
        "Excel, German: semicolons, `1.234,50 €`, `31.12.2023`, umlauts in cp1252",
        german_customers,
        "--target Gekündigt",
        "numbers with thousands separated by '.' and decimal comma and the sign '€'",
    ),
    MessyFile(
        "french.csv",
        "Excel, French: narrow no-break blanks in `1 234,50 €`, codes such as `01` and `2A`",
        french_clinics,
        "--target Contrôlé",
        "texts, some of them numbers with leading zeros; nominal",
    ),
    MessyFile(
        "us.csv",
        "Excel, US: byte order mark, all fields in quotes, `12/31/2023`, `$1,234.50`, ZIP codes",
        us_subscribers,
        "--target 'Churned?'",
        "dates, %m/%d/%Y; read as year, month, day of week and elapsed time",
    ),
    MessyFile(
        "swiss.csv",
        "Excel, Swiss: `CHF 1'576.80`, two kinds of apostrophes, a quantity to predict",
        swiss_rents,
        "--target Miete",
        "numbers with thousands separated by apostrophes and the sign 'CHF'",
        learners=REGRESSORS,
    ),
    MessyFile(
        "swedish.txt",
        'Excel\'s "Unicode text": UTF-16, tabs, decimal commas, no-break blanks in `45 000`',
        swedish_unicode_text,
        "--target Status",
        "utf-16 with separator tab",
    ),
    MessyFile(
        "pumps.csv",
        "`sep=;` in the first line, then a title and an empty line",
        sep_line,
        "--target Result",
        "numbers with decimal comma ('5,737' is 5.737, '4,742' is 4.742), because column 'Heat °C' "
        "uses it",
    ),
    MessyFile(
        "tickets.csv",
        "free text with line breaks and quotes in it, ids, e-mail addresses",
        support_tickets,
        "--target priority",
        "free text, read word by word",
    ),
    MessyFile(
        "orders.csv",
        "dates in four forms, one column in three forms, one that two orders fit",
        order_dates,
        "--target outcome",
        "dates of column 'due' must have one reading",
        "`--date-format due=%m/%d/%Y`",
        "--target outcome --date-format due=%m/%d/%Y",
    ),
    MessyFile(
        "diabetes.csv",
        "a target with gaps: empty, `n/a` and `?`",
        target_gaps,
        "--target diagnosis",
        "must have one reading of 'n/a'",
        "what it says, with `--drop-missing-target`",
        "--target diagnosis --missing 'diagnosis=n/a,?' --drop-missing-target",
    ),
    MessyFile(
        "fish.csv",
        "classes of one row; `roach` and `Roach`",
        rare_classes,
        "--target species",
        "every class of fish must have at least two rows",
        "delete the two rows, or call their class `other`",
    ),
    MessyFile(
        "shelves.csv",
        "100 classes written as numbers",
        hundred_classes,
        "--target shelf --task classification",
        "Task: classification",
        "`--task classification`; without it, 100 different numbers are a quantity",
    ),
    MessyFile(
        "wide.csv",
        "5,000 rows of 100 columns, 40 of them empty and 4 nearly",
        wide_export,
        "--target decision",
        "no value at all; dropped",
    ),
    MessyFile(
        "exam.csv",
        "two columns of one name, one without a name, an empty one",
        duplicate_names,
        "--target result",
        "Column 2, written 'score'",
        "use the new names in `--drop` and `--role`",
    ),
    MessyFile(
        "no-header.csv",
        "no line of names",
        no_header,
        "",
        "The first line looks like data",
        "use `x1`, `x2`, ... as names",
    ),
    MessyFile(
        "branches.csv",
        "a title above the table, a total and notes below it",
        total_row,
        "--target Sales",
        "Left out: 1 row of totals at the end",
        learners=REGRESSORS,
    ),
    MessyFile(
        "products.csv",
        "`12.5%`, losses as `($1,200)`, a column in dollars and euros",
        percent_currency,
        "--target decision",
        "Column 'unit price'",
        "put the amounts into one currency",
    ),
    MessyFile(
        "water.csv",
        "numbers with `<1.5`, `ca. 16`, `not measured` and `79 cm` among them",
        mixed_types,
        "--target verdict",
        "Column 'lead'",
        "`--role hardness=numeric` keeps the numbers of a mixture; units belong into the name",
    ),
    MessyFile(
        "index.csv",
        "a first column without a name that counts the rows",
        pandas_index,
        "--target label",
        "whole numbers that count the rows; dropped as an identifier",
    ),
    MessyFile(
        "machines.csv",
        'numbers as texts: blanks around them, `\'1270`, `="250"`',
        numbers_as_text,
        "--target state",
        "Read without the apostrophe",
        "`--role machine=nominal` if such numbers are codes",
    ),
    MessyFile(
        "ward.csv",
        "boxes ticked with `x` or left empty, the target too",
        x_or_blank,
        "--target readmitted",
        "Ticked or empty, an empty field read as 'blank'",
    ),
    MessyFile(
        "trial.csv",
        "constant columns, blanks around fields, empty lines",
        constant_columns,
        "--target healed",
        "Columns 'version', 'dose', 'weight': numbers; numeric",
    ),
    MessyFile(
        "houses.csv",
        "prices to predict, three of them with three zeros too many",
        outliers,
        "--target price",
        "far from all others",
        "correct the values, or delete their rows",
        learners=REGRESSORS,
    ),
    MessyFile(
        "sales.csv",
        "one row per day, each like the day before",
        daily_sales,
        "--target sales",
        "Rows are ordered in time ('date')",
        "`--time date`",
        learners=REGRESSORS,
    ),
    MessyFile(
        "loans.csv",
        "a column that is the target under another name",
        leaking_target,
        "--target outcome",
        "alone gives the target in every row",
        "`--drop 'status code'`",
    ),
)


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        PAGE.write_text(with_tables(PAGE.read_text("utf-8"), Path(temporary)), "utf-8")
