"""Questions that are answered without a config: normbench try, claims as gates, and the answer as a table."""
import csv
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NORMBENCH, SOURCE_DIR = (Path(p).resolve() for p in sys.argv[1:3])
KEPT = SOURCE_DIR / "results/quickstart-epyc-zen5-2c-20261121.json"


def normbench(*args, **kwargs):
    return subprocess.run([NORMBENCH, *map(str, args)], capture_output=True, text=True, **kwargs)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)

    def shown(self, *args):
        done = normbench("try", *args, "--show", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def config(self, claims):
        path = self.dir / "c.json"
        path.write_text(json.dumps(
            {"schema": 1, "name": "c", "measure": {"max_seconds_per_group": 0.5, "cache": "hot"},
             "experiments": [{"name": "e", "source": {"batch": 1, "size": [256, 256]}, "claims": claims,
                              "variants": {"once": ["copy"], "many": ["copy"] * 20, "gpu": ["h2d"]}}]}))
        return path

    def run_strict(self, claims, *args):
        done = normbench("run", self.config(claims), "--strict", "--no-profile", "--no-html", "--out",
                         self.dir / f"out{len(list(self.dir.iterdir()))}", *args)
        return done.returncode, [line for line in done.stderr.splitlines() if "--strict" in line]


class Try(InFolder):
    def test_several_values_are_compared(self):
        config = self.shown("--batch", 2, "--size", 8, 16, "--dtype", "uint8,float32", "--out-dtype", "float32,float16",
                            "--threads", "1,2", "--layout", "nchw,nhwc")
        experiment = config["experiments"][0]
        self.assertEqual(experiment["vary"], {"dtype": ["uint8", "float32"], "layout": ["nchw", "nhwc"],
                                              "out_dtype": ["float32", "float16"], "threads": [1, 2]})
        self.assertEqual(experiment["source"], {"batch": 2, "size": [8, 16], "dtype": "$dtype", "layout": "$layout"})
        self.assertEqual(experiment["may_differ"], ["dtype", "layout"])

    def test_stages_are_variants(self):
        config = self.shown("cast:to=float16", "vs", '{"op": "normalize", "crop": {"size": [4, 4]}}', "flip", "--vary",
                            "source.batch=1,2", "--set", "normalize.dtype=float16")
        experiment = config["experiments"][0]
        self.assertEqual(list(experiment["variants"].values()),
                         [[{"op": "cast", "to": "float16"}], [{"op": "normalize", "crop": {"size": [4, 4]}}, "flip"]])
        self.assertEqual(experiment["vary"], {"batch": [1, 2]})
        self.assertEqual(config["defaults"]["normalize"]["dtype"], "float16")

    def test_every_config_that_is_shown_can_be_run(self):
        for args in ([], ["--gpu"], ["--dtype", "float32"], ["--out-dtype", "float16,bfloat16"], ["--dtype", "uint8,float16"],
                     ["--threads", "all"], ["cast", "sub", "div", "vs", "normalize"], ["--layout", "nhwc"], ["--gpu", "--out-dtype", "float32,float16"]):
            path = self.dir / "shown.json"
            path.write_text(json.dumps(self.shown("--batch", 1, "--size", 8, 8, *args)))
            done = normbench("check", path)
            self.assertEqual(done.returncode, 0, (args, done.stderr))

    def test_all_mistakes_are_told_and_nothing_is_run(self):
        (self.dir / "there.json").write_text("")
        done = normbench("try", "nomalize", "vs", "cast:to", "--dtype", "flaot32", "--batch", 0, "--save", "there.json", "--images",
                         "none", cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for text in ('unknown dtype "flaot32"', "--batch 0: expected", 'nomalize: unknown op "nomalize" (did you mean "normalize"?)',
                     'cast:to: expected FIELD=VALUE after the colon, got "to"', "there.json already exists",
                     "--images none: no such folder or file", "6 mistakes; nothing was run"):
            self.assertIn(text, done.stderr)
        self.assertEqual([path.name for path in self.dir.iterdir()], ["there.json"])

    def test_what_an_option_cannot_do_is_a_mistake(self):
        for args, text in (
            (["--out-dtype", "float16", "cast", "vs", "normalize"],
             '--out-dtype is that of normalize, which "cast" does not have (write cast:to=float16)'),
            (["normalize:dtype=float16,dtype=float32"], 'says "dtype" twice'),
            (["normalize:op=h2d"], 'says "op" twice'),
            (['{"op": "normalize", "scale": 1, "scale": 2}'], "has a key twice"),
            (["vs"], '"vs" stands between the stages of two variants'),
            (["normalize:dtype=\udcff"], "UTF-8"),
            (["normalize:crop=5", "--show"], "normbench: normalize:crop=5: crop: "),
            (["copy", "vs", "cast", "resize", "--show"], 'normbench: resize: no "size" ([height, width]) (a field is written'),
            (["copy", "source", "--show"], 'normbench: source: "source" must be the first stage\n'),
            (["--size", 60000, 60000, "--batch", 1048576, "--show"], "normbench: --batch, --size: 1048576x3x60000x60000 uint8 nchw pageable is"),
            (["copy:kernel="], 'copy:kernel=: nothing follows "kernel="'),
            (['{"op": "copy", "kernel": ""}', "--show"], "kernel: is empty (leave it out, "),
            (["resize:size=8,8"], 'got "8" (a list is in brackets: size=[224,224])'),
            (["--set", "normalize.dtype=flaot32", "--show"], "--set normalize.dtype=flaot32: unknown value"),
        ):
            done = normbench("try", *args, cwd=self.dir)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (args, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(list(self.dir.iterdir()), [])
        self.assertEqual(normbench("try", "vs").stderr, 'normbench: "vs" stands between the stages of two variants\n')

    def test_two_variants_that_load_the_same_are_a_mistake(self):
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        done = normbench("try", "--images", "photos", "--size", 8, 16, "load", "normalize", "vs", "normalize", cwd=self.dir)
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'normbench: "normalize" is the same as "load normalize": with --images each variant loads the photographs '
                             "(one that begins with source has random images in memory instead)\n"))
        defaults = self.shown("--images", "photos", "--size", 8, 16, "load", "normalize", "vs", "source", "normalize")["defaults"]
        self.assertEqual(defaults["source"], {"batch": 1, "size": [8, 16], "layout": "nhwc"})
        swept = self.shown("--images", "photos", "--batch", "1,2", "load", "normalize", "vs", "source", "normalize")
        self.assertEqual(swept["defaults"]["source"]["batch"], "$batch")

    def test_mistakes_of_the_start_name_the_option(self):
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        done = normbench("try", "--images", "photos", "load:storage=raw", "normalize", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("normbench: --images: no .raw file in "), done.stderr)

    def test_the_points_of_a_sweep_share_the_time(self):
        for args, seconds in ([], 4), (["--batch", "1,8"], 2), (["--batch", "1,2,3,4,5,6"], 1), (["--batch", "1,8", "--seconds", 3], 3):
            self.assertEqual(self.shown(*args)["measure"]["max_seconds_per_group"], seconds)

    def test_a_resize_after_load_is_remarked(self):
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        done = normbench("try", "--images", "photos", "resize:size=[8,8]", "--show", cwd=self.dir)
        self.assertEqual(done.stderr, "normbench: load resizes the images itself (--size): resize works on its result\n")

    def test_a_crop_of_the_whole_image_is_remarked(self):
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        done = normbench("try", "--images", "photos", "load:fit=crop", "--show", cwd=self.dir)
        self.assertTrue(done.stderr.startswith("normbench: fit=crop cuts --size from the image in its full size "), done.stderr)
        done = normbench("try", "--images", "photos", "load:fit=crop,shorter=256", "--show", cwd=self.dir)
        self.assertEqual(done.stderr, "")

    def test_a_batch_that_is_given_stays(self):
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        self.assertEqual(self.shown("--images", "photos", "--batch", "1,4")["experiments"][0]["sweep"], {"batch": [1, 4]})
        self.assertEqual(self.shown("--images", "photos")["experiments"][0]["load"]["batch"], 1)

    def test_a_saved_config_gives_the_same_run(self):
        done = normbench("try", "--batch", 1, "--size", 8, 8, "--save", "mine.json", cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(done.stderr, "normbench: wrote mine.json\n")
        self.assertEqual(json.loads((self.dir / "mine.json").read_text())["experiments"][0]["source"], {"batch": 1, "size": [8, 8]})

    def test_the_answer_names_what_differs(self):
        done = normbench("try", "--batch", 2, "--size", 64, 64, "--out-dtype", "float32,float16", "--seconds", "0.3", "--out", "out",
                         cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = " ".join(done.stdout.split())
        self.assertNotIn("No winner", answer)
        self.assertIn("Outputs differ, as the experiment allows: float32 nchw 2x3x64x64 on the host, 98.3 kB (max error", answer)
        self.assertIn("normbench try --batch 2 --out-dtype float32,float16 --seconds 0.3 --size 64 64", answer)


    def test_what_the_usual_variants_leave_out_is_said_beforehand(self):
        config = ["--batch", 1, "--size", 8, 8, "--show"]
        said = normbench("try", "--dtype", "uint8,float32", *config, cwd=self.dir)
        self.assertEqual(list(json.loads(said.stdout)["experiments"][0]["variants"]), ["fused"])
        self.assertTrue(said.stderr.startswith('normbench: "step by step" is left out: with several --dtype '), said.stderr)
        said = normbench("try", "--out-layout", "nchw,nhwc", *config, cwd=self.dir)
        self.assertTrue(said.stderr.startswith('normbench: "step by step" is there once, with the first value: '), said.stderr)
        for silent in (["--dtype", "float32"], ["--dtype", "uint8,float32", "normalize", "vs", "cast", "sub", "div"]):
            self.assertEqual(normbench("try", *config, *silent, cwd=self.dir).stderr, "")

    def test_the_layout_of_the_result(self):
        experiment = self.shown("--out-layout", "nhwc")["experiments"][0]
        self.assertEqual(experiment["variants"]["step by step"][0], {"op": "layout", "to": "nhwc", "output": "fresh"})
        self.assertEqual(self.shown("--out-layout", "nhwc")["defaults"]["normalize"]["layout"], "nhwc")
        both = self.shown("--out-layout", "nchw,nhwc")
        self.assertEqual(both["defaults"]["normalize"]["layout"], "$out_layout")
        self.assertEqual(both["experiments"][0]["vary"], {"out_layout": ["nchw", "nhwc"]})
        (self.dir / "photos").mkdir()
        (self.dir / "photos/a.jpg").write_bytes(b"")
        variants = self.shown("--images", "photos", "--out-layout", "nhwc")["experiments"][0]["variants"]
        self.assertEqual(variants["decode, fused"], ["normalize"])
        self.assertEqual(self.shown("--images", "photos", "load", "normalize")["defaults"]["normalize"]["layout"], "nchw")
        self.assertNotIn("layout", [stage["op"] for stage in variants["decode, step by step"]])
        refused = normbench("try", "--out-layout", "nhwc", "copy", cwd=self.dir)
        self.assertEqual((refused.returncode, refused.stderr),
                         (2, 'normbench: --out-layout is that of normalize, which "copy" does not have (write layout:to=nhwc)\n'))

    def test_both_layouts_of_the_result_run(self):
        done = normbench("try", "--batch", 1, "--size", 16, 16, "--layout", "nchw,nhwc", "--out-layout", "nchw,nhwc", "--seconds", "0.2",
                         "--out", "out", "--format", "json", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = json.loads(done.stdout)["groups"][0]["cases"]
        self.assertEqual({(case["source"]["layout"], case["stages"][-1]["out"]["layout"]) for case in cases},
                         {(a, b) for a in ("nchw", "nhwc") for b in ("nchw", "nhwc")})

    def test_an_option_of_another_subcommand_is_no_misspelling(self):
        done = normbench("try", "--quick", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'^normbench: unknown option "--quick" \(only of [a-z, ]*run[a-z, ]*\); see normbench try --help\n$')


class Gates(InFolder):
    faster = {"text": "one copy is faster than twenty", "expects": ["once", "<", "many"]}
    slower = {"text": "twenty copies are faster than one", "expects": ["many", "<", "once"]}
    on_gpu = {"text": "the GPU is faster", "expects": ["gpu", "<", "once"]}

    def test_strict_tells_how_the_claims_ended(self):
        self.assertEqual(self.run_strict([self.faster]), (0, []))
        self.assertEqual(self.run_strict([self.faster, self.slower]),
                         (1, ["normbench: --strict: 1 of 2 judged claims contradicted, or in direction only"]))
        self.assertEqual(self.run_strict([{**self.faster, "ratio": [900, 1000]}])[0], 1)
        self.assertEqual(self.run_strict([]), (4, ["normbench: --strict: there is no claim to judge"]))

    def test_a_claim_about_what_cannot_run_decides_nothing(self):
        code, lines = self.run_strict([self.on_gpu])
        if code == 4:  # without a GPU
            self.assertEqual(lines, ["normbench: --strict: 1 of 1 judged claim not run, so none was decided"])
            self.assertEqual(self.run_strict([self.on_gpu, self.faster]), (0, []))

    def test_contradicted_beats_inconclusive(self):
        first = self.config([self.slower]).rename(self.dir / "first.json")
        second = self.config([])
        done = normbench("run", first, second, "--strict", "--no-profile", "--no-html", cwd=self.dir)
        self.assertEqual(done.returncode, 1, done.stderr)


class Answer(InFolder):
    def setUp(self):
        super().setUp()
        done = normbench("run", self.config([]), "--no-profile", "--no-html", "--out", self.dir / "out")
        self.assertEqual(done.returncode, 0, done.stderr)

    def answer(self, form):
        done = normbench("report", self.dir / "out", "--table", "answer", "--format", form)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_there_is_a_row_for_each_case(self):
        rows = json.loads(self.answer("json"))
        self.assertEqual([row["variant"] for row in rows], ["once", "many", "gpu"])
        self.assertEqual([row["fastest"] for row in rows][:2], [True, False])
        self.assertTrue(rows[0]["baseline"])
        self.assertLess(rows[0]["time_low_ms"], rows[1]["time_high_ms"])
        self.assertLess(rows[1]["speed_up"], 0.5)
        self.assertEqual([row["variant"] for row in csv.DictReader(io.StringIO(self.answer("csv")))], ["once", "many", "gpu"])

    def test_markdown_begins_with_its_marker(self):
        lines = self.answer("markdown").splitlines()
        self.assertEqual(lines[:2], ["<!-- normbench answer: c -->", "### e"])
        self.assertTrue(any(line.startswith("- Fastest: once") for line in lines))
        self.assertTrue(any(line.startswith("| once |") for line in lines))


class ManyCases(InFolder):
    """Tests the answer as Markdown, of documents for which there is no room."""

    answer = Answer.answer

    def many(self, groups, cases, change=lambda group, case, number: None, **head):
        """Makes the document one of so many groups, with so many cases each."""
        document = {**json.loads(KEPT.read_text()), **head}
        many, *_, once = document["groups"][0]["cases"]
        document["groups"] = [{**document["groups"][0], "experiment": f"e{number + 1}", "order": [], "cut_order": [], "limits": [],
                               "claims": [], "profile": [], "baseline": "v1",
                               "cases": [{**json.loads(json.dumps(many if i else once)), "variant": f"v{i}" if i else "once",
                                          "cut_rounds": {"wall_ns": []}} for i in range(cases)]} for number in range(groups)]
        for group in document["groups"]:
            for number, case in enumerate(group["cases"]):
                case["rounds"] = {"wall_ns": [value + number for value in case["rounds"]["wall_ns"][:24]]}
                for stage in case["stages"]:
                    stage["rounds_ns"] = []
                change(group, case, number)
        (self.dir / "out").mkdir(exist_ok=True)
        (self.dir / "out/results.json").write_text(json.dumps(document))
        text = self.answer("markdown")
        self.assertLess(len(text.encode()), 60000)
        self.assertTrue(text.startswith("<!-- normbench answer: "), text[:100])
        self.assertTrue(text.splitlines()[0].endswith(" -->"), text[:100])
        self.assertEqual(len(json.loads(self.answer("json"))), groups * cases)
        return text

    def test_markdown_of_three_thousand_cases_in_many_experiments(self):
        text = self.many(600, 5)
        shown = text.count("### e")
        self.assertGreater(shown, 50)
        self.assertRegex(text.splitlines()[-1], rf"^{600 - shown} experiments left out, as the text would be too long: e{shown + 1}, ")
        self.assertIn("left out, as the text would be too long.", text)

    def test_markdown_whose_tables_have_no_room(self):
        def lengthen(group, case, number):
            case["variant"] += " and so on" * 10 if number > 1 else ""

        text = self.many(30, 20, lengthen)
        self.assertEqual(text.count("### e"), 30)
        self.assertEqual((text.count("| once |"), text.count("| v1 |")), (30, 30))  # the fastest one and the baseline
        self.assertRegex(text, r"\n18 of 20 cases left out, as the text would be too long\.\n")

    def onto_one_axis(self, group):
        if group["experiment"] != "e":
            group.update(point={"batch": int(group["experiment"][1:])}, experiment="e")

    def test_markdown_of_three_thousand_cases_in_one_experiment(self):
        text = self.many(1000, 3, lambda group, case, number: self.onto_one_axis(group))
        self.assertEqual(text.count("### e\n"), 1)
        self.assertRegex(text, r"\n[\d,]+ of 3,000 cases left out, as the text would be too long\.\n")

    def test_markdown_of_long_names(self):
        def lengthen(group, case, number):
            group["question"] = "why? " * 20000
            case["variant"] += "<\u0301" * 3000
            group["baseline"] = group["cases"][-1]["variant"]

        text = self.many(4, 3, lengthen, name="n--\n" * 50000)
        self.assertEqual(text.count("\n### e"), 4)
        text = self.many(40, 3, lambda group, case, number: group.update(experiment="&" * 5000 + group["experiment"]))
        self.assertRegex(text.splitlines()[-1], "^[0-9]+ experiments left out, as the text would be too long: ")

    def test_the_page_has_its_columns(self):
        page = (SOURCE_DIR / "docs/results.md").read_text().split("### A row for each case")[1]
        described = [line.split("`")[1] for line in page.split("\n## ")[0].splitlines() if line.startswith("| `")]
        self.many(1, 2)
        self.assertEqual(self.answer("csv").splitlines()[0].split(","), described[1:])
        two = normbench("report", self.dir / "out", self.dir / "out", "--table", "answer", "--format", "csv").stdout
        self.assertEqual(two.splitlines()[0].split(","), described)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
