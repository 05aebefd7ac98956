"""The examples of documents."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def document(name):
    """The path of a document of the repository."""
    path = ROOT / name
    if not path.exists():
        pytest.skip("the package alone has no such document")
    return path


def examples(path):
    """The compiled examples of a document, whose errors name its lines."""
    text = path.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert blocks
    lines = [text[: block.start(1)].count("\n") for block in blocks]
    return [compile("\n" * line + block.group(1), str(path), "exec") for line, block in zip(lines, blocks)]
