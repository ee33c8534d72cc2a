"""Tests HTML reports of kept documents: they are whole, self-contained and small, and a browser shows them
correctly.

usage: html_test.py NORMBENCH SOURCE_DIR [--screenshots DIR] [unittest arguments]

The browser is Chromium on the PATH. Playwright (PyPI) drives it, and axe (axe-playwright-python) checks
accessibility. Tests in a browser are skipped without them. --screenshots: a folder for pictures of all pages.
"""

import html.parser
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
SCREENSHOTS, ARGUMENTS = ((Path(sys.argv[4]), sys.argv[5:]) if sys.argv[3:4] == ["--screenshots"] else (None, sys.argv[3:]))
RESULTS = SOURCE_DIR / "results"
DOCUMENTS = {
    "blog-cpu": [RESULTS / "reproduce/blog-cpu.json"],
    "kernels-cpu": [RESULTS / "kernels-cpu-hd-epyc-zen4-2c-20261125.json"],
    "peers-cpu": [RESULTS / "peers-cpu-epyc-zen4-2c-20261122.json"],
    "pix2pix": [RESULTS / "reproduce/pix2pix.json"],
    "slides-storage": [RESULTS / "reproduce/slides-storage.json"],
    "skipped": [RESULTS / "reproduce/blog-gpu.json"],
    "two": [RESULTS / "reproduce/blog-cpu.json", RESULTS / "reproduce/launch.json"],
}
VOID = {"meta", "link", "br", "img", "input"}
WIDTHS = 360, 800, 1600
NASTY = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "🦀" * 20, "x" * 300,
         "\u202eשלום \u2066עולם", "'quotes' \"and\" `more`"]

# JavaScript that returns the elements that have own text and lie outside of the window. Text in a
# box that scrolls does not count.
OUTSIDE = """() => {
  const bad = [];
  const wide = innerWidth + 1;
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest("svg, script, style, .skip, details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(element);
    const scrolls = element.closest(".wide, pre");
    for (const r of range.getClientRects())
      if (r.width > 0 && !scrolls && (r.left < -1 || r.right > wide))
        bad.push(element.tagName + "." + element.className + ": " + element.textContent.slice(0, 60));
  }
  if (document.documentElement.scrollWidth > wide) bad.push("the page is wider than the window");
  return bad;
}"""


def render(documents, out):
    subprocess.run([NORMBENCH, "report", *documents, "--format", "html", "--out", out], check=True, timeout=300)
    return out.read_text(encoding="utf-8")


class Checker(html.parser.HTMLParser):
    """Checks a page: elements are closed in order, ids are unique, links have targets, and nothing is loaded from
    elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.wrong, self.words = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.note(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.note(tag, attributes)

    def note(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src") and value.startswith("#"):
                self.links.append(value[1:])
            elif name in ("href", "src") and not value.startswith("data:"):
                self.wrong.append(f"{tag} {name}={value}")
            if name.startswith("on"):
                self.wrong.append(f"{tag} {name}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def check(self, text):
        checker = Checker()
        checker.feed(text)
        checker.close()
        self.assertEqual(checker.wrong, [])
        self.assertEqual(checker.open, [])
        self.assertEqual(len(checker.ids), len(set(checker.ids)))
        self.assertEqual(set(checker.links) - set(checker.ids), set())
        return checker

    def compare(self, out):
        """Compares runs of two machines, so that the page has differences."""
        done = subprocess.run([NORMBENCH, "compare", RESULTS / "quickstart-xeon-emr-2c-20261128.json",
                               RESULTS / "quickstart-epyc-zen5-2c-20261121.json", "--force", "--format", "html",
                               "--out", out], timeout=300, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return out.read_text(encoding="utf-8")

    def reproduction(self, out):
        done = subprocess.run([NORMBENCH, "reproduce", "--from", RESULTS / "reproduce", "--format", "html"], timeout=300,
                              capture_output=True, text=True, check=True)
        out.write_text(done.stdout, encoding="utf-8")
        return done.stdout

    def pipeline(self, out):
        """Makes the report of a new run, because kept documents do not have the times of single
        items. Two items are in flight, and their stages are in two lanes."""
        stages = [{"op": "cast", "to": "float32", "lane": "first"}, {"op": "copy", "lane": "second"}]
        config = {"schema": 1, "name": "flow", "measure": {"max_seconds_per_group": 0.2},
                  "experiments": [{"name": "e", "source": {"batch": 8, "size": [224, 224]},
                                   "variants": {"in turn": {"stages": stages, "in_flight": 1},
                                                "two in flight": {"stages": stages, "in_flight": 2}}}]}
        (self.dir / "flow.json").write_text(json.dumps(config))
        folder = self.dir / f"run-{out.stem}"
        subprocess.run([NORMBENCH, "run", "--config", self.dir / "flow.json", "--quick", "--out", folder], capture_output=True,
                       timeout=300, check=True)
        text = (folder / "report.html").read_text(encoding="utf-8")
        out.write_text(text, encoding="utf-8")
        return text

    def nasty(self):
        document = json.loads(DOCUMENTS["blog-cpu"][0].read_text())
        group = document["groups"][0]
        for case, name in zip(group["cases"], NASTY):
            for other in [*group["profile"], *group.get("published", [])]:
                if other["variant"] == case["variant"]:
                    other["variant"] = name
            if group["baseline"] == case["variant"]:
                group["baseline"] = name
            case["variant"] = name
        document["name"] = group["experiment"] = group["question"] = NASTY[0]
        path = self.dir / "nasty.json"
        path.write_text(json.dumps(document))
        return path


class Whole(Page):
    def test_of_kept_documents(self):
        for name, documents in DOCUMENTS.items():
            with self.subTest(name):
                text = render(documents, self.dir / f"{name}.html")
                self.assertLessEqual(len(text.encode()), 3_000_000)
                words = " ".join(self.check(text).words)
                for document in documents:
                    for group in json.loads(document.read_text())["groups"]:
                        for case in group["cases"]:
                            self.assertIn(case["variant"], words)

    def test_a_reproduction(self):
        words = " ".join(self.check(self.reproduction(self.dir / "reproduce.html")).words)
        self.assertIn("experiments ran here", words)
        for number in range(1, 13):
            self.assertIn(f" F{number} ", words)

    def test_a_comparison(self):
        words = " ".join(self.check(self.compare(self.dir / "comparison.html")).words)
        self.assertIn("All cases, the worst first", words)

    def test_a_pipeline(self):
        words = " ".join(self.check(self.pipeline(self.dir / "pipeline.html")).words)
        for variant in ("in turn", "two in flight"):
            self.assertIn(f"{variant}: a few items of its profile", words)
        for profile in json.loads((self.dir / "run-pipeline/results.json").read_text())["groups"][0]["profile"]:
            self.assertEqual({work["lane"] for work in profile["lane_work"]}, {0, 1})

    def test_names_that_try_to_break_out(self):
        self.check(render([self.nasty()], self.dir / "nasty.html"))

    def test_several_formats_of_a_run(self):
        config = self.dir / "c.json"
        config.write_text(json.dumps({
            "schema": 1, "name": "c", "measure": {"max_seconds_per_group": 0.05, "precision": 0.5, "cache": "hot"},
            "experiments": [{"name": "e", "source": {"batch": 2, "size": [32, 32]},
                             "variants": {"a": [{"op": "cast", "to": "float32"}], "b": [{"op": "cast", "to": "float16"}]}}]}))
        subprocess.run([NORMBENCH, "run", "--config", config, "--out", self.dir / "out"], check=True, timeout=120,
                       capture_output=True)
        self.check((self.dir / "out/report.html").read_text(encoding="utf-8"))
        subprocess.run([NORMBENCH, "run", "--config", config, "--out", self.dir / "without", "--no-html"], check=True,
                       timeout=120, capture_output=True)
        self.assertFalse((self.dir / "without/report.html").exists())


def browser_missing():
    try:
        import axe_playwright_python.sync_playwright  # noqa: F401
        import playwright.sync_api  # noqa: F401
    except ImportError as error:
        return str(error)
    return "" if shutil.which("chromium") else "no chromium on the PATH"


@unittest.skipIf(browser_missing(), browser_missing())
class InABrowser(Page):
    def setUp(self):
        super().setUp()
        import playwright.sync_api

        self.driver = playwright.sync_api.sync_playwright().start()
        self.addCleanup(self.driver.stop)
        self.browser = self.driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        self.addCleanup(self.browser.close)

    def opened(self, path, width, scheme="light", scripts=True):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme,
                                           java_script_enabled=scripts)
        self.addCleanup(context.close)
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append("dialog"))
        page.on("request", lambda request: said.append(request.url))
        page.goto(path.as_uri())
        self.assertEqual([text for text in said if text != path.as_uri() and not text.startswith("data:,")], [])
        return page

    def pages(self):
        for name, documents in DOCUMENTS.items():
            path = self.dir / f"{name}.html"
            render(documents, path)
            yield name, path
        path = self.dir / "nasty.html"
        render([self.nasty()], path)
        yield "nasty", path
        path = self.dir / "comparison.html"
        self.compare(path)
        yield "comparison", path
        path = self.dir / "pipeline.html"
        self.pipeline(path)
        yield "pipeline", path
        path = self.dir / "reproduce.html"
        self.reproduction(path)
        yield "reproduce", path

    def test_of_kept_documents(self):
        for name, path in self.pages():
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    with self.subTest(name, width=width, scheme=scheme):
                        page = self.opened(path, width, scheme)
                        for opened in (False, True):
                            if opened:
                                page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
                            self.assertEqual(page.evaluate(OUTSIDE), [])
                            if SCREENSHOTS:
                                SCREENSHOTS.mkdir(exist_ok=True)
                                more = "-open" if opened else ""
                                page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}{more}.png",
                                                full_page=not opened)
                        page.context.close()

    def test_it_says_the_same_without_scripts(self):
        for name, path in self.pages():
            with self.subTest(name):
                with_scripts = self.opened(path, 1280).inner_text("main")  # the default width of new_context()
                context = self.browser.new_context(java_script_enabled=False)
                self.addCleanup(context.close)
                page = context.new_page()
                page.goto(path.as_uri())
                self.assertEqual(page.inner_text("main"), with_scripts)

    def test_tables_are_sorted(self):
        path = self.dir / "blog.html"
        render(DOCUMENTS["blog-cpu"], path)
        page = self.opened(path, 1600)
        button = page.locator(".ratios thead button", has_text="ms/batch").first
        column = "e => [...e.closest('table').tBodies[0].rows].map(r => r.cells[3].textContent.replaceAll(',', ''))"
        button.click()
        times = [float(text) for text in button.evaluate(column)]
        self.assertEqual(times, sorted(times))
        button.click()
        self.assertEqual([float(text) for text in button.evaluate(column)], times[::-1])

    def test_it_is_accessible(self):
        from axe_playwright_python.sync_playwright import Axe

        for name, path in self.pages():
            for scheme in ("light", "dark"):
                with self.subTest(name, scheme=scheme):
                    page = self.opened(path, 1600, scheme)
                    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
                    found = Axe().run(page).response["violations"]
                    self.assertEqual([(v["id"], v["nodes"][0]["html"][:200]) for v in found
                                      if v["impact"] in ("serious", "critical")], [])
                    page.context.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *ARGUMENTS])
