"""Makes the corpus anew: ``python -m tests.mail.make``. The same bytes every time; a test compares them with what is stored."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from . import attachments, bodies
from .corpus import Corpus
from .letters import FILES

HERE = Path(__file__).parent
HEAD = """\
# What comes out of each mail: files (of tests/mail/files, in this order), the codes of what is told as damaged or closed, and how many files
# are handed on though their signature does not hold (bad). An empty table: there is nothing in the mail. Made by tests/mail/make.py.

"""


def corpus() -> Corpus:
    made = Corpus()
    bodies.make(made)
    attachments.make(made)
    return made


def main() -> None:
    made = corpus()
    for name, data in made.mails.items():
        (HERE / f"{name}.eml").write_bytes(data)
    for name, data in FILES.items():
        (HERE / "files" / f"{name}.toml").write_bytes(data)
    (HERE / "outcomes.toml").write_text(HEAD + tomli_w.dumps(made.outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()
