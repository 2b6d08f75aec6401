"""Colors of classes."""

from __future__ import annotations

from bestofk.trees.text_form import class_colors, lighter


def test_the_colors_of_twenty_classes_are_all_different():
    assert len(set(class_colors(20))) == 20


def test_the_first_colors_are_the_same_whatever_the_number_of_classes():
    assert class_colors(8)[:3] == class_colors(17)[:3] == class_colors(3)


def test_a_color_with_white_lies_between_both():
    assert lighter("#000000", 0.0) == "#000000"
    assert lighter("#000000", 1.0) == "#ffffff"
    assert lighter("#0072B2", 0.5) == "#80b9d9"
