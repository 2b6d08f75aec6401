"""The check of the links of the built site."""

from pathlib import Path

from tests.site_links import broken_links, main


def test_links_to_missing_files_and_anchors_are_found_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="#top"></a><a href="#gone"></a>'
        '<a href="sub/page.html#one"></a><a href="sub/page.html#two"></a>'
        '<img src="none.png"><a href="https://elsewhere.example/x#y"></a>'
    )
    (tmp_path / "sub" / "page.html").write_text('<p id="one"></p><a href="../index.html#top"></a>')
    assert broken_links(tmp_path) == [
        "index.html: #gone",
        "index.html: none.png",
        "index.html: sub/page.html#two",
    ]
    assert main([str(tmp_path)]) == 1


def test_a_site_without_broken_links_ends_with_code_0(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="index.html"></a>')
    assert main([str(tmp_path)]) == 0
