"""The page of `icefloe ckpt report`: what is in the file, and what a real browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from icefloe import ckpt, errors, save_checkpoint

HOSTILE = [
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=1</script>",
    "<!--<script>window.hacked=1",
    "<img src=x onerror=window.hacked=1>",
    "a/\"onmouseover='window.hacked=1'/b",
    "${data}$script/\u2028line\u2029/\\u003c",
    "__proto__/constructor",
    "a/__proto__",
    "scope//empty/",
    "same",
    "same/same",
    "ü/漢字/\udcff",
    "long/" + "x" * 5000,
]


def values(names):
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=(i % 7 + 1, 5)).astype(np.float32) for i, name in enumerate(names)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    a = values([*HOSTILE, *(f"model/layer_{i}/kernel" for i in range(30))])
    a["model/layer_3/kernel"][0, 0] = np.nan
    a["model/layer_4/kernel"][0, :2] = np.inf
    b = dict(a)
    b["model/layer_5/kernel"] = a["model/layer_5/kernel"] * 1.5
    b["model/layer_6/kernel"] = a["model/layer_6/kernel"][:2]
    b["model/layer_7/kernel"] = a["model/layer_7/kernel"].astype(np.float64)
    del b["model/layer_8/kernel"]
    b["new/<b>one"] = np.zeros(3, np.int32)
    save_checkpoint(folder / "a", a)
    save_checkpoint(folder / "b", b)
    return folder


@pytest.fixture(scope="module")
def page(folder):
    ckpt.report(folder / "a", folder / "page.html", folder / "b")
    return folder / "page.html"


def data_of(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_the_answer(folder):
    found = ckpt.report(folder / "a", folder / "x.html", folder / "b")
    assert (found.tensors, found.nan, found.inf, found.differing) == (43, 1, 2, 5)
    assert found.page_bytes == (folder / "x.html").stat().st_size and found.damaged == [] and found.left_out == 0


def test_the_numbers_are_those_of_stats(folder, page):
    rows = {row[0]: row for row in data_of(page)["rows"]}
    for t in ckpt.stats(folder / "a", ["model/*"]).tensors:
        row = rows[t.name]
        np.testing.assert_allclose(row[5:9], [t.min, t.max, t.mean, t.std], rtol=1e-5)
        assert row[9:12] == [t.nan, t.inf, t.zeros] and len(row[12]) == 32


def test_names_end_no_element(page):
    seen = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.append((tag, dict(attrs)))

    Parser().feed(page.read_text(encoding="utf-8"))
    assert sum(tag == "script" for tag, _ in seen) == 2
    assert not [tag for tag, _ in seen if tag in ("img", "b", "link", "iframe")]
    assert not [a for _, attrs in seen for a in attrs if a in ("src", "onerror", "onmouseover")]
    names = {row[0] for row in data_of(page)["rows"]}
    assert set(HOSTILE[:-2]) <= names and max(map(len, names)) <= 401


def test_damage_is_shown(folder, tmp_path):
    for path in folder.glob("a.*"):
        shutil.copy(path, tmp_path / path.name)
    data = bytearray((tmp_path / "a.data-00000-of-00001").read_bytes())
    data[3] ^= 1
    (tmp_path / "a.data-00000-of-00001").write_bytes(data)
    found = ckpt.report(tmp_path / "a", tmp_path / "page.html")
    assert found.damaged == [HOSTILE[0]]
    assert data_of(tmp_path / "page.html")["totals"]["damaged"] == 1


def test_the_page_is_bounded(tmp_path, monkeypatch):
    from icefloe.checkpoint import report as module

    monkeypatch.setattr(module, "MAX_ROWS", 10)
    monkeypatch.setattr(module, "MAX_HISTOGRAMS", 4)
    save_checkpoint(tmp_path / "m", values(f"v{i}" for i in range(40)))
    assert ckpt.report(tmp_path / "m", tmp_path / "page.html").left_out == 30
    data = data_of(tmp_path / "page.html")
    assert len(data["rows"]) == 10 and sum(bool(row[12]) for row in data["rows"]) == 4
    assert data["totals"]["tensors"] == 40


def test_dtypes_without_numbers(tmp_path):
    import ml_dtypes

    save_checkpoint(
        tmp_path / "m",
        {
            "s": np.array([b"x", b"yyy"], object),
            "e": np.zeros((0, 3), np.float32),
            "c": np.array([1 + 1j], np.complex64),
            "b": np.array([True, False]),
            "h": np.array([1, 2], ml_dtypes.bfloat16),
            "n": np.full(3, np.nan, np.float32),
            "u": np.array([2**64 - 1], np.uint64),
        },
    )
    ckpt.report(tmp_path / "m", tmp_path / "page.html", tmp_path / "m")
    rows = {row[0]: row for row in data_of(tmp_path / "page.html")["rows"]}
    assert rows["n"][5] is None and rows["s"][6] == 3 and rows["u"][6] == 1.84467e19


def test_where_it_cannot_be_written(folder, tmp_path):
    with pytest.raises(errors.InvalidArgumentError, match="directory"):
        ckpt.report(folder / "a", tmp_path)
    with pytest.raises(errors.NotFoundError):
        ckpt.report(folder / "a", tmp_path / "no" / "page.html")
    with pytest.raises(errors.NotFoundError):
        ckpt.report(folder / "nothing", tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_the_page_is_in_the_package():
    root = Path(__file__).resolve().parents[2]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["icefloe"]
    assert "checkpoint/report_page/*" in patterns


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("no browser: `chromium` and `chromedriver` are not installed (Debian: chromium, chromium-driver)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    profile = tmp_path_factory.mktemp("profile")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_argument("--window-size=1440,1600")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    yield found
    found.quit()


@pytest.fixture
def opened(browser, page):
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())
    return browser


def script(browser, text):
    return browser.execute_script(f"return {text}")


@pytest.mark.slow
def test_it_runs_alone_and_nothing_else_runs(opened, page):
    assert opened.get_log("browser") == []
    assert script(opened, "window.hacked") is None
    assert script(opened, "performance.getEntriesByType('resource').length") == 0
    sent = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    asked = [m["params"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    assert [r["request"]["url"] for r in asked if r["documentURL"] == page.as_uri()] == [page.as_uri()]
    opened.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.late = 1'; document.body.append(s)"
    )
    assert script(opened, "window.late") is None  # the policy of the page


@pytest.mark.slow
def test_every_hostile_name_is_text(opened):
    shown = script(
        opened, "ROWS.map((row) => { showDetail(row); return $('detail').querySelector('h3').textContent; })"
    )
    assert set(HOSTILE[:-2]) <= set(shown)
    assert script(opened, "document.querySelectorAll('script, img, b img').length") == 2
    opened.execute_script("treemap.open(TREE, false)")
    assert script(opened, "window.hacked") is None


@pytest.mark.slow
def test_sorting_and_filtering(opened):
    from selenium.webdriver.common.by import By

    def first():
        return opened.find_element(By.CSS_SELECTOR, "#rows tr td.name").text

    head = opened.find_elements(By.CSS_SELECTOR, "#head button")
    next(h for h in head if h.text == "NaN/Inf").click()
    assert first() == "model/layer_4/kernel"
    assert opened.find_element(By.CSS_SELECTOR, "#head th[aria-sort]").get_attribute("aria-sort") == "descending"
    box = opened.find_element(By.ID, "filter")
    box.send_keys("layer_1 kern")
    assert script(opened, "table.shown.length") == 11
    box.clear()
    box.send_keys(r"/layer_\d\/kernel$/")
    assert script(opened, "table.shown.length") == 10
    box.clear()
    box.send_keys("/(/")
    assert box.get_attribute("aria-invalid") == "true"
    box.clear()
    opened.execute_script("$('filter').dispatchEvent(new Event('input'))")
    opened.find_element(By.ID, "odd").click()
    assert sorted(script(opened, "table.shown.map((row) => row.name)")) == [
        "model/layer_3/kernel",
        "model/layer_4/kernel",
    ]


@pytest.mark.slow
def test_differences(opened):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    chips = {c.text.rpartition(" ")[0]: c for c in opened.find_elements(By.CSS_SELECTOR, "#statuses button")}
    assert set(chips) == {"equal", "changed", "added", "removed", "other shape", "other dtype"}
    chips["changed"].click()
    assert script(opened, "table.shown.map((row) => row.name)") == ["model/layer_5/kernel"]
    heat = opened.find_element(By.ID, "heat")
    heat.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
    name = script(opened, "ROWS[2].name")
    assert script(opened, "table.chosen.name") == name
    assert name in opened.find_element(By.ID, "heat-now").get_attribute("textContent")
    cell = script(opened, "ROWS.findIndex((row) => row.name === 'model/layer_5/kernel')")
    pixel = script(
        opened,
        f"(() => {{ const d = devicePixelRatio, x = ({cell} % heat.columns) * heat.side, "
        f"y = Math.floor({cell} / heat.columns) * heat.side; "
        "return [...$('heat').getContext('2d').getImageData((x + 3) * d, (y + 3) * d, 1, 1).data]; })()",
    )
    assert pixel[:3] != script(opened, "[1, 3, 5].map((i) => parseInt(colour('equal').slice(i, i + 2), 16))")


@pytest.mark.slow
def test_keys_alone_reach_everything(opened):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    node = next(n for n in opened.find_elements(By.CSS_SELECTOR, "#map > button") if "model" in n.accessible_name)
    node.send_keys(Keys.ENTER)
    assert script(opened, "treemap.node.name") == "model"
    opened.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert script(opened, "treemap.node === TREE")
    table = opened.find_element(By.ID, "scroll")
    table.send_keys(Keys.END)
    assert script(opened, "table.chosen === table.shown[table.shown.length - 1]")
    chosen = opened.find_element(By.CSS_SELECTOR, "#rows tr[aria-selected=true]")
    assert chosen.is_displayed() and opened.find_element(By.CSS_SELECTOR, "#detail h3").text.startswith("ü")
    unnamed = script(
        opened,
        "[...document.querySelectorAll('button, input, select')].filter((e) => !(e.textContent.trim() || "
        "e.getAttribute('aria-label') || (e.labels && e.labels.length))).length",
    )
    assert unnamed == 0


@pytest.mark.slow
def test_light_and_dark(opened):
    from selenium.webdriver.common.by import By

    def paint():
        return script(opened, "getComputedStyle(document.body).backgroundColor")

    before = paint()
    opened.find_element(By.ID, "theme").click()
    assert paint() != before
    opened.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    opened.refresh()
    assert script(opened, "document.documentElement.dataset.theme") == "dark"
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.slow
def test_nine_thousand_tensors(browser, tmp_path):
    names = [f"scope{i // 900}/layer_{i // 9 % 100}/part_{i % 9}/kernel" for i in range(9000)]
    save_checkpoint(tmp_path / "m", values(names))
    found = ckpt.report(tmp_path / "m", tmp_path / "page.html", tmp_path / "m")
    assert found.page_bytes < 3 << 20
    browser.get((tmp_path / "page.html").as_uri())
    assert script(browser, "table.shown.length") == 9000
    assert script(browser, "document.querySelectorAll('*').length") < 6000
    assert script(browser, "document.querySelectorAll('#rows tr').length") < 60
    browser.execute_script("$('scroll').scrollTop = 1e9; table.draw()")
    last = script(browser, "document.querySelector('#rows tr:last-child td').textContent")
    assert last == max(names)
