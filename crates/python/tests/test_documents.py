"""The examples of documents run, one after the other in each document."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["README.md", "crates/python/README.md", "docs/python.md"])
def test_examples_run(name, tmp_path, monkeypatch, capsys):
    path = ROOT / name
    if not path.exists():
        pytest.skip("the package alone has no such document")
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    assert blocks
    names = {}
    for block in blocks:
        # Errors name the line of the document.
        code = "\n" * text[: block.start(1)].count("\n") + block.group(1)
        exec(compile(code, str(path), "exec"), names)
    # What a line says that it prints, it prints.
    printed = capsys.readouterr().out.splitlines()
    for wanted in re.findall(r"^print\(.*\) +# (\[.*\])$", "".join(block.group(1) for block in blocks), re.M):
        assert wanted in printed
