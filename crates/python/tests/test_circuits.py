"""Circuits: by name, of text, of formulas, composed."""

import hashlib

import numpy as np
import pytest

import ringmill as rm


def test_bundled():
    assert {"less32", "simon-encrypt", "aes-128-ctr"} <= set(rm.circuits())
    hamming = rm.Circuit.named("hamming64")
    a, b = (np.frombuffer(hashlib.sha256(seed).digest(), "<u8") for seed in (b"a", b"b"))
    wanted = [bin(int(x) ^ int(y)).count("1") for x, y in zip(a, b)]
    assert hamming.simulate({"a": a, "b": b})[hamming.outputs.names[0]].tolist() == wanted
    with pytest.raises(rm.UsageError, match="no circuit less33"):
        rm.Circuit.named("less33")


def test_a_cipher_is_its_published_vector():
    # SIMON-64/128, from the paper of its designers; words lowest byte first.
    simon = rm.Circuit.named("simon-encrypt")
    key = bytes.fromhex("00010203 08090a0b 10111213 18191a1b")
    block = (0x656B696C_20646E75).to_bytes(8, "little")
    values = {128: key, 64: block}
    table = {
        c.name: [values[c.width] if c.type == "hex" else int.from_bytes(values[c.width], "little")]
        for c in simon.inputs
    }
    result = simon.simulate(table)[simon.outputs.names[0]].tolist()[0]
    result = int.from_bytes(result, "little") if isinstance(result, bytes) else result
    assert result == 0x44C8FC20_B9DFA07A


def test_bristol_text(tmp_path):
    text = "2 6\n2 2 2\n1 2\n\n2 1 0 2 4 XOR\n2 1 1 3 5 XOR\n"
    circuit = rm.Circuit.bristol("xor", text).with_names(["a", "b"], ["c"]).with_public("b")
    assert [column.public for column in circuit.inputs] == [False, True]
    assert circuit.simulate({"a": [0, 1, 2, 3], "b": [3, 3, 3, 3]})["c"].tolist() == [3, 2, 1, 0]
    (tmp_path / "xor.txt").write_text(text)
    assert rm.Circuit.open(tmp_path / "xor.txt").inputs.names == ["x0", "x1"]
    circuit.plan().save(tmp_path / "xor.job")
    assert rm.Circuit.open(tmp_path / "xor.job").inputs == circuit.inputs
    with pytest.raises(rm.BadFileError, match="line"):
        rm.Circuit.bristol("xor", text.replace("XOR", "XQR"))


def test_formulas():
    flag = rm.expression(
        "flag = income > limit and score < 10", {"income": "u18", "limit": "public u18", "score": "u7"}
    )
    assert flag.inputs["limit"].public and not flag.inputs["score"].public
    table = {"income": [5, 200_000, 200_000], "limit": [1000] * 3, "score": [1, 1, 99]}
    assert flag.simulate(table)["flag"].tolist() == [False, True, False]
    with pytest.raises(rm.UsageError, match=r"column 8: this is u4(.|\n)*\^"):
        rm.expression("flag = a and b > 2", {"a": "u4", "b": "u4"})


def test_composition():
    @rm.circuit
    def near(distance: rm.u7, threshold: rm.public[rm.u7]):
        return {"near": distance < threshold}

    both = rm.Circuit.named("hamming64").then(near)
    table = {"a": [0, 0, 0], "b": [0b111, 0b1111, 0b11111], "threshold": [5, 4, 4]}
    assert both.simulate(table)["near"].tolist() == [True, False, False]
    with pytest.raises(rm.UsageError, match="then"):
        near.then(near)


def test_reprs_are_tables_and_escape():
    circuit = rm.expression("`a<b>`: u2\nc = `a<b>` == 1")
    assert "a&lt;b&gt;" in circuit._repr_html_() and "a<b>" in repr(circuit.inputs)
    assert "products" in repr(circuit)
