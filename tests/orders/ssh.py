"""The real ssh-keygen, for tests of what we and it must agree on."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem.orders.keys import PrivateKey


def ssh_keygen(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run it; on a machine without it the test is skipped, in CI it fails."""
    program = shutil.which("ssh-keygen")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("ssh-keygen is missing")
        pytest.skip("ssh-keygen is missing")
    return subprocess.run([program, *map(str, arguments)], input=stdin, capture_output=True, check=False, timeout=60)


def needs_bcrypt() -> None:
    """Protected key files need the bcrypt package; in CI it must be there."""
    try:
        import bcrypt  # noqa: F401
    except ImportError:
        if os.environ.get("CI") == "true":
            pytest.fail("the bcrypt package is missing")
        pytest.skip("the bcrypt package is missing")


def key_file(folder: Path, key: PrivateKey, comment: str = "an@example") -> Path:
    path = folder / "key"
    path.write_bytes(key.openssh(None, comment))
    path.chmod(0o600)
    (folder / "key.pub").write_text(key.public.line() + f" {comment}\n", encoding="utf-8")
    return path


AN, BO = PrivateKey.from_seed(bytes(range(32))), PrivateKey.from_seed(bytes(range(1, 33)))
