import re
import subprocess
import sys
from pathlib import Path

import pbem.orders
from pbem.orders import findings
from pbem.orders.findings import Finding, Unreadable, nearest, refusal, shortened

FOLDER = Path(pbem.orders.__file__).parent
# Quoted kebab words that are no codes: kinds, reasons, forms, formats.
OTHER_WORDS = {
    "true-false", "whole-number", "does-not-verify", "small-order", "not-canonical", "not-on-curve", "public-key", "hex-32", "base64-32",
    "utf-8", "utf-16", "aes256-ctr",
}


def test_every_code_stands_in_the_table():
    source = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py") if path.name != "findings.py")
    used = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', source)) - OTHER_WORDS
    used |= {"syntax"} & set(re.findall(r'"([a-z]+)"', source))   # the one code of a single word
    told = set(re.findall(r"^([a-z0-9-]+)  +\S", findings.__doc__ or "", re.MULTILINE))
    assert {code for code in used if not code.startswith("ssh-")} == told


def test_the_nearest_word():
    assert nearest("Gaungdong", ["guangdong", "yunnan"]) == "guangdong"
    assert nearest("MOVE", ["move", "stay"]) == "move"
    assert nearest("xyz", ["move", "stay"]) is None
    assert nearest("", []) is None
    assert nearest("m" * 10_000, ["move"]) is None


def test_quotations_are_short():
    assert shortened("x" * 80) == "x" * 80
    assert shortened("x" * 81) == "x" * 79 + "…"


def test_a_refusal_carries_its_findings():
    fault = refusal("too-large", "note", size=3)
    assert fault.findings == [Finding("too-large", "note", {"size": 3})]
    assert str(Unreadable([*fault.findings, Finding("syntax")])) == "note: too-large; syntax"


def test_reading_an_order_file_loads_nothing_heavy():
    program = "import sys, pbem.orders.making, pbem.orders.armour, pbem.orders.join; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=FOLDER.parent.parent)
    loaded = run.stdout.split()
    for heavy in ("jinja2", "weasyprint", "click", "email", "babel", "pbem.engine", "pbem.titles", "pbem.campaign"):
        assert heavy not in loaded
