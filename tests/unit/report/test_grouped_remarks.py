"""Like remarks about single data sets as one sentence."""

from bestofk.inference import Caution
from bestofk.report.sentences.details_across import all_remarks, grouped_remarks

ONE = "1 row equals an earlier row in all inputs; such rows leak."
MANY = "{} rows equal an earlier row in all inputs; such rows leak."


def test_numbers_and_plurals_make_no_new_kind_and_the_worst_is_named():
    about = {"a": [ONE], "b": [MANY.format("1,200")], "c": [MANY.format(30)], "d": []}
    assert grouped_remarks(about) == [f"On 3 data sets, most on b: {MANY.format('1,200')}"]
    said = [f"a: {ONE}", f"b: {MANY.format('1,200')}", f"c: {MANY.format(30)}"]
    assert all_remarks(about) == said


def test_the_same_on_all_data_sets_is_said_once_and_on_some_with_their_names():
    assert grouped_remarks({"a": [ONE], "b": [ONE]}) == [ONE]
    assert grouped_remarks({"a": [ONE], "b": [ONE], "c": []}) == [f"a, b: {ONE}"]
    five = {name: [ONE] for name in "abcde"} | {"f": []}
    assert grouped_remarks(five) == [f"a, b, c + 2 more: {ONE}"]


def test_learners_that_differ_in_a_number_stay_apart():
    text = "5nn(n_neighbors={}) failed in 4 of 4 runs; repeat 0, fold 0: {}."
    about = {"a": [text.format(9, "got 9"), text.format(15, "got 15")], "b": [], "c": []}
    assert len(grouped_remarks(about)) == 2


def test_one_kind_of_failure_is_one_sentence_whatever_each_message_says():
    text = "qda failed in {} of 4 runs; repeat 0, fold 0: {}."
    failed = {"a": (1, "singular"), "b": (4, "one row")}
    about = {name: [Caution("incomplete", text.format(*of))] for name, of in failed.items()}
    (said,) = grouped_remarks(about | {"c": []})
    assert said == f"On 2 data sets, most on b: {about['b'][0]}"
    assert said.code == "incomplete"


def test_what_is_about_most_data_sets_comes_first():
    about = {"a": ["Odd.", "Column 'x' is a date."], "b": ["Column 'y' is a date."], "c": []}
    said = ["On 2 data sets, such as a: Column 'x' is a date.", "a: Odd."]
    assert grouped_remarks(about) == said


def test_a_date_in_a_remark_is_no_number():
    said = "The class {} has 2 rows."
    about = {"a": [said.format("31.12.2020")], "b": [said.format("1,2,3.4.5")]}
    assert grouped_remarks(about) == [f"On 2 data sets, most on b: {about['b'][0]}"]
