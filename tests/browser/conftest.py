"""Pages in headless Chromium; needs the extra `browser` and Chromium itself."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    driver = pytest.importorskip(
        "playwright.sync_api", reason="no playwright; install bestofk[browser]"
    )
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip(f"no Chromium; install one of {', '.join(_NAMES)}")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Write a page of a comparison and open it; every message and request is held against it."""
    messages: list[str] = []
    requests: list[str] = []
    contexts = []

    def opened(result: Any, **options: Any) -> Any:
        path = tmp_path / "page.html"
        result.to_html(path, overwrite=True)
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: messages.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert messages == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []
