import datetime

import pytest

from bestofk.data.dates import date_forms, day_of

NAMES = {
    "English": "January February March April May June July August September October November "
    "December Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember "
    "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "French": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre ene feb mar abr may jun jul ago sep oct nov dic",
    "Portuguese": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro jan fev mar abr mai jun jul ago set out nov dez",
}


@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize("form", ["7 {} 2024", "7. {} 2024", "7 de {} de 2024", "7-{}-2024"])
def test_months_are_known_by_name(language, form):
    for position, name in enumerate(NAMES[language].split()):
        day = day_of(datetime.date(2024, position % 12 + 1, 7))
        for written in (name, name.upper(), name.title()):
            text = form.format(written)
            assert list(date_forms([text]).values()) == [{text: day}], text


def test_months_without_their_accents_are_known():
    texts = ["7 fevrier 2024", "7 aout 2024", "7 decembre 2024", "7 marco 2024", "7 marz 2024"]
    months = [datetime.date.fromordinal(int(day) + 719163).month for day in _days(texts)]
    assert months == [2, 8, 12, 3, 3]


def _days(texts):
    (days,) = date_forms(texts).values()
    return [days[text] for text in texts]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2024-W01", "2024-W52"], [datetime.date(2024, 1, 1), datetime.date(2024, 12, 23)]),
        (["2020W53", "2021W01"], [datetime.date(2020, 12, 28), datetime.date(2021, 1, 4)]),
        (["2024-Q1", "2024-Q4"], [datetime.date(2024, 1, 1), datetime.date(2024, 10, 1)]),
        (["2024 W09"], [datetime.date(2024, 2, 26)]),
        (["2024 Jan"], [datetime.date(2024, 1, 1)]),
        (["2023Q2"], [datetime.date(2023, 4, 1)]),
        (["Q3 2023", "Q1 1999"], [datetime.date(2023, 7, 1), datetime.date(1999, 1, 1)]),
        (["Q2/2023"], [datetime.date(2023, 4, 1)]),
    ],
)
def test_weeks_stand_for_their_monday_and_quarters_for_their_first_day(texts, expected):
    assert _days(texts) == list(map(day_of, expected))


@pytest.mark.parametrize(
    ("texts", "hours"),
    [
        (["8:30 am", "8:30 PM", "12:00 AM", "12:00 p.m."], [8.5, 20.5, 0, 12]),
        (["08:30:36AM"], [8.51]),
        (["8:30", "23:59"], [8.5, 23 + 59 / 60]),
    ],
)
def test_times_of_day_are_parts_of_a_day(texts, hours):
    assert [24 * day for day in _days(texts)] == pytest.approx(hours)


@pytest.mark.parametrize(
    "text", ["2024-W54", "2023-W53", "2024-W00", "2024-Q5", "13:00 PM", "7 mayonnaise 2024", "Q1"]
)
def test_what_is_no_date_is_none(text):
    assert date_forms([text]) == {}
