"""Checks sentences against numbers. The sentences are those in kept documents, in `normbench report` of these
documents, and in today's findings. The numbers are computed here from rounds and counters:

- page faults: a peer's share is the time that its twin saves. The twin differs in the allocator alone. Without a
  twin, the sentence says "at most".
- The price of a page fault is at most the price of a touched page, measured by a limit in the same rounds. Without
  this limit or without a twin, the sentence says "or less".
- "only fewer bytes would be faster": no other case, and no stream with more threads, moved the same bytes in less
  time.
- A claim whose text has a size has the size as a number, too, and is judged by it.

usage: kept_documents_test.py NORMBENCH ROOT
"""

import copy
import json
import pathlib
import re
import statistics
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
NORMBENCH = sys.argv.pop()
sys.path.insert(0, str(ROOT / "tests"))
from claim_sizes import SIZE  # noqa: E402

CASE = re.compile(r"^(?:Why (?P<slow>.+?) is slow: |(?P<fast>.+?) is bound by |Bound by )(?P<what>[a-z ]+)[.:] (?P<text>.*)$")
FAULTS = re.compile(r"^(?P<count>[\d,]+) a batch(?: at (?P<us>[\d.]+) us(?P<less> or less)?)?")
MOST = re.compile(r" = at most (?P<most>[\d.]+) % of its time")
TWIN = re.compile(r" takes? [\d.,]+ ms, (?P<value>[\d.]+) %(?: \((?P<low>[\d.]+)-(?P<high>[\d.]+) %\))? less")
REUSED = "; output reused, the same ops take "
ONLY_BYTES = "only fewer bytes"
# Lines of findings, like: The time of "a" is set by memory: ...; that of "b" at threads=1: ...
SET_BY = re.compile(r'^- The time of (?P<first>".+?"[^:"]*) is set by (?P<what>[a-z ]+): (?P<rest>.*)\.$')
SET_FOR = re.compile(r'^"(?P<name>.+?)"[^:"]*: (?P<text>.*)$')


def number(text):
    return float(text.replace(",", ""))


def is_at_most(text, value):
    """Returns True if the number in `text`, before it was rounded, may have been at most `value`."""
    digits = len(text.split(".")[1]) if "." in text else 0
    return number(text) <= value + 0.5000001 * 10**-digits


def measured(case):
    return case["status"] == "ok" and bool(case.get("rounds", {}).get("wall_ns"))


def median(case, column):
    """Returns the median of a column of the rounds, per iteration; 0 if the rounds do not have the column."""
    rounds = case["rounds"].get(column)
    return statistics.median(rounds) / case["iterations"] if rounds else 0.0


def decides(document):
    return "device_ns" if document.get("clock") == "device" else "wall_ns"


def time_of(case, document):
    return median(case, decides(document)) or median(case, "wall_ns")


def ratio(case, other, document):
    """Returns the median over the rounds of the time of `case` divided by the time of `other`."""
    column = decides(document)
    if not (case["rounds"].get(column) and other["rounds"].get(column)):
        column = "wall_ns"
    of_rounds = [
        (a / case["iterations"]) / (b / other["iterations"])
        for a, b in zip(case["rounds"][column], other["rounds"][column])
        if a > 0 and b > 0
    ]
    return statistics.median(of_rounds)


def does(case, op):
    return any(stage["op"] == op for stage in case["stages"])


def touched_page_ns(group, document):
    for limit in group["limits"]:
        faults = median(limit, "minor_faults") if measured(limit) else 0
        if faults >= 1 and does(limit, "first_touch"):
            times = [time_of(limit, document), median(limit, "cpu_ns")]
            return min(ns for ns in times if ns > 0) / faults
    return None


def without_allocator(command):
    text = " ".join(command)
    text = re.sub(r"^env( (MALLOC_\w+|GLIBC_TUNABLES)=\S*)+ ", "", text)
    return re.sub(r" --allocator[ =]\S+", "", text)


def peers_twin(case, group, document):
    """Returns the fastest case of another peer that differs in the allocator alone and has few page
    faults; None if there is none."""
    peers = document["config"].get("peers", {})
    own = peers.get(case["peer"])
    twins = [
        other
        for other in group["cases"]
        if measured(other)
        and other.get("peer", "") in peers
        and peers[other["peer"]] != own
        and without_allocator(peers[other["peer"]]) == without_allocator(own)
        and [(stage["op"], stage.get("parameters")) for stage in other["stages"]]
        == [(stage["op"], stage.get("parameters")) for stage in case["stages"]]
        and other["threads"] == case["threads"]
        and median(other, "minor_faults") < 0.1 * median(case, "minor_faults")
    ]
    return min(twins, key=lambda other: time_of(other, document), default=None)


def faults_denied(text, case, group, document):
    """Returns why the numbers contradict a sentence about page faults; "" if they do not."""
    said = FAULTS.match(text)
    if not said:
        return "says nothing that can be held against the counters"
    if round(median(case, "minor_faults")) != number(said["count"]):
        return f"{median(case, 'minor_faults'):.0f} page faults were counted"
    if case.get("peer") and (why := peers_share_denied(text, case, group, document)):
        return why
    touch, most = touched_page_ns(group, document), MOST.search(text)
    if not said["us"]:
        return ""
    if touch is not None and not is_at_most(said["us"], touch / 1000):
        return f"a touched page cost {touch / 1000:.2f} us"
    if not said["less"] and (touch is None or REUSED not in text):
        return 'the price is a bound, which "or less" does not say'
    allows = 100 * number(said["us"]) * 1000 * number(said["count"]) / time_of(case, document)
    if most and abs(allows - number(most["most"])) > 6:  # the printed price has two digits
        return f"that price makes {allows:.0f} %"
    return ""


def peers_share_denied(text, case, group, document):
    other, said = peers_twin(case, group, document), TWIN.search(text)
    if other is None:
        return "" if MOST.search(text) else 'no twin of this peer differs in the allocator alone, and "at most" is not said'
    share = 100 * (1 - ratio(other, case, document))
    if not said or abs(number(said["value"]) - share) > 4:  # with correlated rounds, the text has a median of medians
        return f'"{other["variant"]}", which only allocates otherwise, takes {share:.1f} % less'
    return ""


def bytes_of(case):
    return case["source_bytes"], case["result_bytes"], sum(stage["link_bytes"] for stage in case["stages"])


def bytes_denied(case, group, document):
    """Returns which other case or limit moved the same bytes in less time; "" if none did."""
    precision = group.get("precision", document["precision"])
    wider = [
        limit
        for limit in group["limits"]
        if measured(limit) and does(limit, "stream") and not limit.get("resident")
        and limit["threads"] > case["threads"] and bytes_of(case)[2] == 0
    ]
    for other in [other for other in group["cases"] if measured(other)] + wider:
        if other is not case and bytes_of(other) == bytes_of(case):
            if ratio(other, case, document) < 1 - precision:
                return f'"{other["variant"]}" moves as many bytes, {ratio(case, other, document):.2f}x as fast'
    return ""


def said_of(match, verdict, group):
    """Returns the case that a sentence about causes is about."""
    name = match["slow"] or match["fast"]
    if name:
        name = name.removeprefix('"').removesuffix('"')
        return next((case for case in group["cases"] if case["variant"] == name), None)
    if verdict["winner"]:
        return next(case for case in group["cases"] if case["variant"] == verdict["winner"])
    ran = [case for case in group["cases"] if measured(case)]
    return ran[0] if len(ran) == 1 else None


def denied_here(what, text, case, group, document, counts):
    if what == "page faults":
        counts["faults"] += 1
        counts["twins"] += bool(case.get("peer")) and bool(TWIN.search(text))
        return faults_denied(text, case, group, document)
    counts["bytes"] += 1
    return bytes_denied(case, group, document)


def sentences_denied(document, verdicts, counts):
    """Yields (experiment, sentence, reason) for each sentence about causes that the numbers contradict."""
    for group, verdict in zip(document["groups"], verdicts):
        for sentence in verdict["text"]:
            match = CASE.match(sentence)
            if not match or not (match["what"] == "page faults" or ONLY_BYTES in sentence):
                continue
            case = said_of(match, verdict, group)
            if case is None:
                yield group["experiment"], sentence, "no case of the group has that name"
            elif why := denied_here(match["what"], match["text"], case, group, document, counts):
                yield group["experiment"], sentence, why


def findings_denied(lines, documents, counts):
    """Yields (sentence, reason) for findings that the numbers contradict. A finding does not name its group, so it
    is accepted if it is true in any group."""
    for match in filter(None, map(SET_BY.match, lines)):
        for said in f'{match["first"]}: {match["rest"]}'.split("; that of "):
            of = SET_FOR.match(said)
            if match["what"] != "page faults" and ONLY_BYTES not in of["text"]:
                continue
            why = [
                denied_here(match["what"], of["text"], case, group, document, counts)
                for document in documents
                for group in document["groups"]
                for case in group["cases"]
                if case["variant"] == of["name"] and measured(case)
            ]
            if all(why):
                yield said, why[0] if why else "no case has that name"


def claim_denied(claim, said, group, document):
    """Returns why a claim was not judged by its size; "" if it was, or if the claim has no size."""
    if claim.get("across") or not SIZE.search(claim["text"]):
        return ""
    if "ratio" not in claim and "within" not in claim:
        return "its size is no number: it is judged by its direction"
    sides = [case for case in group["cases"] if case["variant"] in (claim["left"], claim["right"])]
    if said["verdict"] != "confirmed" or "ratio" not in claim or len(sides) < 2 or not all(map(measured, sides)):
        return ""
    slow = claim["right"] if claim["relation"] == "<" else claim["left"]
    slower, faster = sorted(sides, key=lambda case: case["variant"] != slow)
    here = ratio(slower, faster, document)
    low, high = claim["ratio"]["low"], claim["ratio"]["high"]
    if low == high:
        low, high = max(1.0, 0.9 * low), 1.1 * high
    return "" if 0.99 * low <= here <= 1.01 * high else f"the ratio is {here:.2f}"


def claims_denied(document, verdicts, counts):
    for group, verdict in zip(document["groups"], verdicts):
        for claim, said in zip(group["claims"], verdict["claims"]):
            counts["claims"] += bool(SIZE.search(claim["text"]))
            if why := claim_denied(claim, said, group, document):
                yield group["experiment"], f'"{claim["text"]}": {said["verdict"]}', why


def denied(document, verdicts, counts):
    return [*sentences_denied(document, verdicts, counts), *claims_denied(document, verdicts, counts)]


def verdicts_of(document):
    return [group["verdict"] for group in document["groups"]]


def nothing():
    return {"faults": 0, "twins": 0, "bytes": 0, "claims": 0}


def case(variant, ms, faults=0, **more):
    rounds = {"wall_ns": [round(ms * 1e6)] * 20, "cpu_ns": [round(ms * 1e6)] * 20, "minor_faults": [faults] * 20}
    stages = [{"op": more.pop("op", "sub"), "link_bytes": 0, "parameters": None}]
    return {"variant": variant, "status": "ok", "iterations": 1, "threads": 1, "rounds": rounds, "stages": stages,
            "source_bytes": 100, "result_bytes": 100} | more


def document(cases, limits=(), claims=()):
    group = {"experiment": "x", "cases": cases, "limits": list(limits), "claims": list(claims)}
    peers = {"stock": ["run", "torch.py"], "kept": ["run", "torch.py", "--allocator", "no-faults"],
             "compiled": ["run", "torch.py", "--as", "compile", "--allocator", "no-faults"]}
    return {"groups": [group], "precision": 0.01, "config": {"peers": peers}}


def verdict(*text, winner="", claims=()):
    return [{"text": list(text), "winner": winner, "claims": [{"verdict": one} for one in claims]}]


class Falsehoods(unittest.TestCase):
    """Tests that each kind of false sentence is found."""

    touch = case("first_touch", 27, 27_000, op="first_touch")  # 1 us a page
    peers = (case("a", 160, 81_000, peer="stock"), case("b", 58, peer="kept"), case("c", 20, peer="compiled"))

    def why(self, document, verdicts):
        return [why for _, _, why in denied(document, verdicts, nothing())]

    def faults(self, document, text, slow="a"):
        return self.why(document, verdict(f"Why {slow} is slow: page faults. {text}"))

    def test_a_peers_share_is_its_twins(self):
        kept = document(self.peers, [self.touch])
        self.assertEqual(self.faults(kept, "81,000 a batch; b, which only allocates otherwise, takes 58.0 ms, 64 % less."), [])
        self.assertEqual(self.faults(kept, "81,000 a batch; b, which only allocates otherwise, takes 58.0 ms, 88 % less."),
                         ['"b", which only allocates otherwise, takes 63.7 % less'])
        self.assertEqual(self.faults(kept, "81,000 a batch at 1.0 us or less = at most 51 % of its time."),
                         ['"b", which only allocates otherwise, takes 63.7 % less'])

    def test_a_peers_share_is_at_most_without_a_twin(self):
        kept = document(self.peers[::2], [self.touch])
        self.assertEqual(self.faults(kept, "81,000 a batch at 1.0 us or less = at most 51 % of its time."), [])
        self.assertEqual(len(self.faults(kept, "81,000 a batch at 1.0 us = 51 % of its time.")), 1)
        self.assertEqual(self.faults(kept, "81,000 a batch at 1.0 us or less = at most 88 % of its time."),
                         ["that price makes 51 %"])

    def test_a_fault_costs_no_more_than_a_touched_page(self):
        ours = [case("a", 160, 81_000), case("b", 58)]
        said = "81,000 a batch at {} us{}; output reused, the same ops take 58.0 ms, 64 % less."
        self.assertEqual(self.faults(document(ours, [self.touch]), said.format("1.0", "")), [])
        self.assertEqual(self.faults(document(ours, [self.touch]), said.format("1.3", "")), ["a touched page cost 1.00 us"])
        self.assertEqual(len(self.faults(document(ours), said.format("1.3", ""))), 1)
        self.assertEqual(self.faults(document(ours), said.format("1.3", " or less")), [])
        preempted = copy.deepcopy(self.touch)
        preempted["rounds"]["wall_ns"] = [270_000_000] * 20
        self.assertEqual(self.faults(document(ours, [preempted]), said.format("10", "")), ["a touched page cost 1.00 us"])

    def test_the_count_is_that_of_the_counters(self):
        kept = document([case("a", 160, 81_000)], [self.touch])
        self.assertEqual(self.faults(kept, "54,000 a batch at 1.0 us or less = at most 51 % of its time."),
                         ["81000 page faults were counted"])

    def test_two_threads_on_the_same_bytes_leave_more_than_bytes(self):
        said = verdict("Why a is slow: memory. 200 B at 99 % of the limit: only fewer bytes would be faster.")
        one, two = case("a", 5.6), case("b", 5.0, threads=2)
        self.assertEqual(self.why(document([one, two]), said), ['"b" moves as many bytes, 1.12x as fast'])
        self.assertEqual(self.why(document([one], [case("stream", 5.0, threads=2, op="stream")]), said),
                         ['"stream" moves as many bytes, 1.12x as fast'])
        self.assertEqual(self.why(document([one, case("b", 5.0, threads=2, result_bytes=50)]), said), [])
        self.assertEqual(self.why(document([one, case("b", 5.59, threads=2)]), said), [])

    def test_the_fastest_is_meant_where_no_name_is_said(self):
        said = verdict("Bound by memory: 200 B at 99 % of the limit: only fewer bytes would be faster.", winner="a")
        self.assertEqual(self.why(document([case("a", 5.6)], [case("s", 5.0, threads=2, op="stream")]), said),
                         ['"s" moves as many bytes, 1.12x as fast'])

    def test_a_size_in_words_is_judged_by_size(self):
        sides = [case("a", 10), case("b", 20)]
        claim = {"text": "a is about 40 % faster", "left": "a", "relation": "<", "right": "b"}
        self.assertEqual(self.why(document(sides, claims=[claim]), verdict(claims=["confirmed"])),
                         ["its size is no number: it is judged by its direction"])
        claim["ratio"] = {"low": 1.4, "high": 1.4}
        self.assertEqual(self.why(document(sides, claims=[claim]), verdict(claims=["confirmed"])), ["the ratio is 2.00"])
        self.assertEqual(self.why(document(sides, claims=[claim]), verdict(claims=["direction only"])), [])
        claim["ratio"] = {"low": 2.1, "high": 2.1}
        self.assertEqual(self.why(document(sides, claims=[claim]), verdict(claims=["confirmed"])), [])


    def test_the_findings_are_sentences_too(self):
        kept = document([case("a, b: c", 5.6), case("b", 5.0, threads=2)])
        text = "200 B at 99 % of the limit: only fewer bytes would be faster"
        line = f'- The time of "b" is set by memory: {text}; that of "a, b: c" at threads=1: {text}.'
        self.assertEqual(list(findings_denied([line], [kept], nothing())),
                         [(f'"a, b: c" at threads=1: {text}', '"b" moves as many bytes, 1.12x as fast')])


def normbench(*words):
    return subprocess.run([NORMBENCH, *words], check=True, capture_output=True, text=True).stdout


class KeptDocuments(unittest.TestCase):
    def test_say_nothing_that_their_numbers_deny(self):
        folders = [ROOT / "results", ROOT / "results/reproduce"]
        paths = sorted(path for folder in folders for path in folder.glob("*.json"))
        documents = {path: json.loads(path.read_text()) for path in paths}
        counts, found = nothing(), []
        for path, kept in documents.items():
            today = json.loads(normbench("report", path, "--format", "json"))
            for where, verdicts in (("kept", verdicts_of(kept)), ("report", verdicts_of(today))):
                found += [f"{path.name} ({where}), {experiment}: {sentence}\n    but {why}"
                          for experiment, sentence, why in denied(kept, verdicts, counts)]
        findings = normbench("reproduce", "--from", folders[1], "--format", "findings").splitlines()
        found += [f"findings: {said}\n    but {why}" for said, why in findings_denied(findings, documents.values(), counts)]
        self.assertFalse(found, "\n" + "\n".join(found))
        self.assertTrue(all(counts.values()), counts)  # sentences of each kind were checked


if __name__ == "__main__":
    unittest.main()
