"""The examples of documents run, one after the other in each document."""

import re

import pytest
from documents import document, examples


@pytest.mark.parametrize("name", ["README.md", "crates/python/README.md", "docs/python.md"])
def test_examples_run(name, tmp_path, monkeypatch, capsys):
    path = document(name)
    monkeypatch.chdir(tmp_path)
    names = {}
    for example in examples(path):
        exec(example, names)
    # What a line says that it prints, it prints.
    printed = capsys.readouterr().out.splitlines()
    for wanted in re.findall(r"^print\(.*\) +# (\[.*\])$", path.read_text(), re.M):
        assert wanted in printed
