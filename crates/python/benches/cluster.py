"""Measures jobs on a cluster of Ray on this machine beside a single process, and the bytes of jobs.

    python crates/python/benches/cluster.py [--batches 24] [--workers 1 2]      # times, and whether results are the same
    python crates/python/benches/cluster.py --device cuda --workers 1 --threads 16
    python crates/python/benches/cluster.py --bytes                             # bytes of representative jobs
    python crates/python/benches/cluster.py --parquet 100000                    # memory of encrypting so many rows

Each worker has as many processors as threads: one, unless more are asked for. Of a run, "evaluating" is what the library
measures from begin to end of evaluations, added over the batches; what a worker takes beyond that is the overhead: files,
digests, and with Ray also tasks. A run with Ray is timed from when all workers are busy; what it takes before the first batch
is told apart. It fails unless its files are those of the single process.
"""

import argparse
import logging
import os
import pathlib
import resource
import tempfile
import time

import numpy as np

import ringmill as rm


@rm.circuit
def product(a: rm.u8, b: rm.u8):
    return {"product": a * b}


def table_of(job, rows):
    random = np.random.default_rng(1)
    return {column.name: random.integers(0, 1 << column.width, rows, dtype=np.uint64) for column in job.inputs}


def times(batches, workers, device, threads):
    rm.set_threads(threads)
    job = product.plan(input_key="secret")
    print(
        f"product of two numbers of 8 bits: {batches} batches of {job.report.batch_records} records, device {device}, "
        f"threads of a worker: {threads}"
    )
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory)
        client = job.client()
        client.save_keys(path / "keys")
        job.save(path / "product.job")
        client.encrypt_batches_to(table_of(job, batches * job.report.batch_records), path / "in")
        alone(path, device)
        for count in workers:
            on_ray(job, path, (count, device, threads))


def alone(path, device):
    server = rm.Job.open(path / "product.job", device=device).server(path / "keys/evaluation.key")
    (path / "alone").mkdir()
    begin, evaluating = time.time(), []
    for file in sorted((path / "in").iterdir()):
        evaluating.append(server.evaluate_to(file, path / "alone" / file.name).account.seconds)
    tell("one process", time.time() - begin, evaluating)


def on_ray(job, path, options):
    import ray

    import ringmill.ray

    workers, device, threads = options
    ray.init(
        num_cpus=workers * threads, include_dashboard=False, object_store_memory=200 << 20, logging_level=logging.ERROR
    )
    try:
        keys, out = path / "keys/evaluation.key", path / f"ray{workers}"
        begin = time.time()
        done = list(ringmill.ray.evaluate(path / "in", job, keys, out, threads=threads, device=device))
        seconds = time.time() - begin
    finally:
        ray.shutdown()
    for batch in done:
        results = pathlib.Path(batch.results.path)
        if results.read_bytes() != (path / "alone" / results.name).read_bytes():
            raise SystemExit(f"{results.name} differs from what the single process has written")
    # When a batch was done, its file says: Ray tells it later.
    ended = sorted((os.stat(batch.results.path).st_mtime, batch.results.account.seconds) for batch in done)
    first, middle = 2 * workers, ended[2 * workers + 1 :]
    tell(f"Ray, {workers} workers", ended[-1][0] - ended[first][0], [spent for _, spent in middle], workers)
    print(f"  {ended[0][0] - ended[0][1] - begin:.2f} s before the first batch, {seconds:.2f} s in all")


def tell(name, seconds, evaluating, workers=1):
    spent, batches = sum(evaluating), len(evaluating)
    beyond = f", {100 * (seconds / spent - 1):.1f} % beyond" if workers == 1 else ""
    print(f"{name}: {batches / seconds:.3f} batches/s, {spent / batches:.3f} s evaluating a batch{beyond}", flush=True)


def sizes():
    """What a record takes, encrypted with the public and with the secret key."""
    jobs = {
        "less32": {},
        "hamming64": {},
        "simon-encrypt": {"packing": "separate"},
        "simon-encrypt, one key": {},
        "aes-128-encrypt": {"packing": "separate"},
        "aes-128-encrypt, one key": {},
    }
    for name, options in jobs.items():
        circuit = rm.Circuit.named(name.split(",")[0])
        for key in ("public", "secret"):
            report = circuit.plan(input_key=key, **options).report
            print(
                f"{name:26} {key:7} {report.batch_records:5} records, keys {report.key_bytes / 1e6:6.1f} MB, inputs "
                f"{report.input_bytes / 1e6:7.2f} MB: {report.input_bytes / report.batch_records:7.0f} bytes a record, results "
                f"{report.result_bytes / report.batch_records:6.0f}; memory {report.memory / 1e6:5.0f} MB"
            )


def parquet(rows):
    """The memory of encrypting a file of Parquet into batches."""
    import pyarrow.parquet

    job = rm.Circuit.named("less32").plan(input_key="secret", packing="slots")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory)
        schema = pyarrow.schema([("a", pyarrow.uint32()), ("b", pyarrow.uint32())])
        random = np.random.default_rng(1)
        with pyarrow.parquet.ParquetWriter(path / "t.parquet", schema) as writer:
            for start in range(0, rows, 1 << 16):
                count = min(1 << 16, rows - start)
                part = {name: random.integers(0, 1 << 32, count, np.uint32) for name in ("a", "b")}
                writer.write_table(pyarrow.table(part, schema))
        client = job.client()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        written = client.encrypt_batches_to(path / "t.parquet", path / "in")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = os.path.getsize(path / "t.parquet")
        print(
            f"{rows} rows, {size / 1e6:.1f} MB: {written}; {peak / 1024:.0f} MiB at the peak, {before / 1024:.0f} before"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=24)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bytes", action="store_true")
    parser.add_argument("--parquet", type=int)
    chosen = parser.parse_args()
    if chosen.bytes:
        sizes()
    elif chosen.parquet:
        parquet(chosen.parquet)
    else:
        times(chosen.batches, chosen.workers, chosen.device, chosen.threads)
