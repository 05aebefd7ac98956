"""Progress, notes, interrupts and errors."""

import importlib.metadata
import logging
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import ringmill as rm


def test_progress_is_told(less):
    job, client, server = less
    told = []
    job.progress = told.append
    try:
        server.evaluate(client.encrypt({"a": range(1, 1201), "b": [7] * 1200}))
    finally:
        job.progress = None
    stages = list(dict.fromkeys(progress.stage for progress in told))
    assert stages == ["encrypting", "evaluating"]
    evaluating = [progress for progress in told if progress.stage == "evaluating"]
    totals = [progress.total for progress in evaluating if progress.total is not None]
    assert totals == sorted(totals) and totals[-1] == 1.0 and evaluating[-1].ended
    assert any(progress.batches == 3 for progress in evaluating)


def test_bars(less, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    # Fast machines are done before a bar would be worth while.
    monkeypatch.setattr("ringmill._progress.PATIENCE", 0.0)
    job, client, server = less
    job.progress = True
    try:
        server.evaluate(client.encrypt({"a": range(1, 1201), "b": [7] * 1200}))
    finally:
        job.progress = None
    shown = capsys.readouterr().err
    assert "evaluating" in shown and "%" in shown
    # Nobody looks at a pipe.
    server.evaluate(client.encrypt([{"a": 1, "b": 2}]))
    assert capsys.readouterr().err == ""


def test_processes_without_a_console(less, monkeypatch):
    job, client, _ = less
    for shown in (None, True):
        monkeypatch.setattr(job, "progress", shown)
        monkeypatch.setattr(sys, "stderr", None)
        assert client.encrypt([{"a": 1, "b": 2}]).records == 1


def test_notes_are_logged(caplog):
    with caplog.at_level(logging.WARNING, "ringmill"):
        rm.Circuit.named("and8").plan(preset="machine-n2048")
    assert any("INSECURE" in record.message for record in caplog.records)
    assert all(record.name == "ringmill" for record in caplog.records)


def test_what_a_callback_raises_comes_out(less):
    job, client, server = less
    encrypted = client.encrypt({"a": range(3000), "b": [7] * 3000})

    def stop(progress):
        if progress.stage == "evaluating" and progress.done:
            raise KeyError("enough")

    job.progress = stop
    try:
        with pytest.raises(KeyError, match="enough"):
            server.evaluate(encrypted)
    finally:
        job.progress = None
    assert client.decrypt(server.evaluate(encrypted))["less"].sum() == 7


def test_calls_are_stopped_one_by_one(less):
    job, client, server = less
    encrypted = client.encrypt({"a": range(3000), "b": [7] * 3000})
    going, stopped, caught = threading.Event(), threading.Event(), []

    def progress(told):
        if told.stage == "evaluating" and not told.ended:
            if threading.current_thread() is not stopping:
                going.set()
                stopped.wait()
            elif going.wait():
                raise KeyError("enough")

    def stop():
        try:
            server.evaluate(encrypted)
        except KeyError as error:
            caught.append(error)
        stopped.set()

    stopping = threading.Thread(target=stop)
    job.progress = progress
    try:
        stopping.start()
        results = server.evaluate(encrypted)
    finally:
        job.progress = None
        stopping.join()
    assert len(caught) == 1
    assert client.decrypt(results)["less"].sum() == 7


@pytest.fixture
def interrupts():
    """What a shell starts in the background ignores interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_interrupts_stop_and_batches_are_kept(less, tmp_path):
    job, client, server = less
    client.encrypt_to({"a": range(3000), "b": [7] * 3000}, tmp_path / "in.ct")

    interrupted = []

    # On a busy machine some batches are told together.
    def interrupt(progress):
        if progress.stage == "evaluating" and progress.done >= 1 and not interrupted:
            interrupted.append(progress.done)
            os.kill(os.getpid(), signal.SIGINT)

    job.progress = interrupt
    try:
        with pytest.raises(KeyboardInterrupt):
            server.evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct")
    finally:
        job.progress = None
    assert not (tmp_path / "out.ct").exists() and (tmp_path / "out.ct.partial").stat().st_size
    file = server.evaluate_to(tmp_path / "in.ct", tmp_path / "out.ct", resume=True)
    assert file.taken_over >= interrupted[0] and file.records == 3000
    client.decrypt_to(tmp_path / "out.ct", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text().count("true") == 7


def test_others_run_meanwhile(less):
    """The interpreter is free while the library works."""
    _, client, server = less
    encrypted = client.encrypt({"a": range(1000), "b": [7] * 1000})
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(None)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    server.evaluate(encrypted)
    done.set()
    thread.join()
    # Seconds of evaluation have hundreds of ticks; an interpreter that is held has one or two.
    assert len(ticks) > 20


def test_kinds_of_errors(less, tmp_path):
    job, client, _ = less
    with pytest.raises(rm.FileError) as caught:
        rm.Job.open(tmp_path / "none.job")
    assert isinstance(caught.value, OSError) and "none.job" in str(caught.value)
    (tmp_path / "bad.job").write_bytes(b"nothing")
    with pytest.raises(rm.BadFileError, match=r"bad\.job"):
        rm.Job.open(tmp_path / "bad.job")
    with pytest.raises(rm.NoParametersError, match="memory"):
        rm.Circuit.named("less32").plan(memory=1 << 20)
    with pytest.raises(rm.UsageError, match="abacus|no device"):
        rm.Circuit.named("less32").plan(device="abacus")
    for option, value in [("security", 100), ("form", "ckks"), ("packing", "tight"), ("optimise", "more")]:
        with pytest.raises(rm.UsageError, match=str(value)):
            rm.Circuit.named("less32").plan(**{option: value})
    job.save(tmp_path / "less.job")
    with pytest.raises(rm.FileError, match="exists"):
        job.save(tmp_path / "less.job")
    job.save(tmp_path / "less.job", replace=True)


def test_errors_are_sent_to_other_processes():
    placed = rm.CircuitError("no").at("here.py", 3)
    kept = rm.CancelledError("stopped")
    kept.batches, kept.partial = 2, "out.ct.partial"
    failed = rm.BatchesError({"000001.ct": rm.TableError("bad", "a", 5)}, "out")
    others = [getattr(rm, name)("text") for name in rm.errors.__all__ if name != "BatchesError"]
    for error in [placed, kept, failed, failed.failed["000001.ct"], *others]:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
        assert {**vars(again), "failed": None} == {**vars(error), "failed": None}
    again = pickle.loads(pickle.dumps(failed)).failed["000001.ct"]
    assert (str(again), again.column, again.row) == ("bad", "a", 5)


def test_packages_that_are_missing_are_named():
    """What is optional is imported when it is used, and not before."""
    program = """
    import sys
    for name in ("pyarrow", "pandas", "polars", "matplotlib", "tqdm"):
        sys.modules[name] = None
    import ringmill as rm
    found = rm.expression("a: u8; b = a + 1").simulate({"a": [1]})
    assert found["b"].tolist() == [2]
    for use, name in [(found.to_arrow, "pyarrow"), (found.to_pandas, "pandas"), (found.to_polars, "polars")]:
        try:
            use()
        except rm.MissingPackageError as error:
            assert f"pip install {name}" in str(error)
        else:
            raise AssertionError(name)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_version_and_types(tmp_path):
    assert rm.__version__ == importlib.metadata.version("ringmill")
    pytest.importorskip("mypy")
    program = """
    import ringmill as rm

    def votes(one: bool, other: rm.Word) -> list[rm.Word]:
        return [rm.popcount([one, other]), rm.max([other, 3]), rm.min(other, 3), rm.concat(*[other, other])]
    """
    (tmp_path / "votes.py").write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "votes.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
