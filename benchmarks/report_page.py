"""How long the HTML page of a comparison takes, how large it is, and pictures of it.

    python benchmarks/report_page.py
    python benchmarks/report_page.py --pictures docs/images   # needs Chromium, bestofk[browser]

The first prints CPU seconds (median of five) and bytes for four comparisons. The second takes the
screenshots of README.md and docs/html-report.md.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from PIL import Image
from sklearn.datasets import load_diabetes

from bestofk import compare

SEVENTEEN = [
    *("majority", "nearest-mean", "naive-bayes", "lda", "qda", "logistic", "cart", "c45"),
    *("c45rules", "id3", "hddt", "1nn", "5nn", "svm", "linear-svm", "random-forest"),
    "gradient-boosting",
]
README = ["majority", "nearest-mean", "logistic", "cart", "1nn"]  # as on the page with the picture
LINE = "{:<22}{:>9}{:>9}{:>7}{:>10}{:>10}"
# Name of each picture; width and height of the window, theme, medium.
PICTURES = {
    "report_light.png": (1000, 985, "light", "screen"),
    "report_dark.png": (1000, 985, "dark", "screen"),
    "report_phone.png": (360, 1300, "light", "screen"),
    "report_print.png": (794, 1123, "light", "print"),
}


def comparisons() -> dict:
    """Return what is measured: few and many learners, many classes, a regression."""
    return {
        "iris, default set": compare(None, "iris"),
        "wine, 17 learners": compare(SEVENTEEN, "wine"),
        "digits, 3 learners": compare(["lda", "1nn", "naive-bayes"], "digits", max_repeats=5),
        "diabetes (regression)": compare(None, *load_diabetes(return_X_y=True)),
    }


def measure() -> None:
    """Print a line per comparison."""
    print(LINE.format("comparison", "learners", "choices", "views", "seconds", "kB"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        for name, result in comparisons().items():
            result.to_html(path, overwrite=True)  # loads what is loaded once
            seconds = []
            for _ in range(5):
                start = time.process_time()
                result.to_html(path, overwrite=True)
                seconds.append(time.process_time() - start)
            switches = result._page_parts("").switches
            views = len({id(item) for item in switches.findings.values()})
            cells = [len(result.evaluation.names), len(switches.findings), views]
            cells += [f"{statistics.median(seconds):.2f}", f"{path.stat().st_size / 1000:,.0f}"]
            print(LINE.format(name, *cells))


def photograph(folder: Path) -> None:
    """Take the screenshots, in few colors so that they are small."""
    from playwright.sync_api import sync_playwright

    result = compare(README, "iris")
    page_path = Path(tempfile.mkdtemp()) / "page.html"
    line = f"bestofk compare iris --learners {','.join(README)} --report page.html"
    result.to_html(page_path, command=line)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, (width, height, theme, medium) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto(page_path.as_uri())
            page.emulate_media(media=medium, color_scheme=theme)
            page.screenshot(path=folder / name)
            picture = Image.open(folder / name).convert("RGB")
            picture.quantize(64).save(folder / name, optimize=True)
            print(name, (folder / name).stat().st_size, "bytes")
        browser.close()
    shutil.rmtree(page_path.parent)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, help="folder for the screenshots")
    folder = parser.parse_args().pictures
    measure() if folder is None else photograph(folder)
