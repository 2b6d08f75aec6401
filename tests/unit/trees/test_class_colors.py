"""Colors of classes."""

from bestofk.trees.text_form import class_colors


def test_the_colors_of_twenty_classes_are_all_different():
    assert len(set(class_colors(20))) == 20
