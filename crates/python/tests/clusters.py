"""What tests of clusters share."""

import numpy as np

import ringmill as rm

RANDOM = np.random.default_rng(5)


class Owner:
    """A job, the files of its keys, and a table in batches that a module evaluates on its cluster."""

    def __init__(self, cluster_jobs, circuit, rows, path):
        self.cluster_jobs, self.circuit, self.path, self.parts = cluster_jobs, circuit, path, ["in"]
        self.job = circuit.plan(input_key="secret")
        self.client = self.job.client()
        self.client.save_keys(path / "keys")
        records = self.job.report.batch_records
        self.table = {
            column.name: RANDOM.integers(0, 1 << column.width, int(rows * records), dtype=np.uint8)
            for column in self.job.inputs
        }
        self.batches = self.client.encrypt_batches_to(self.table, path / "in").batches

    def evaluate(self, dataset=None, keys="keys", **options):
        dataset = self.path / "in" if dataset is None else dataset
        keys = self.path / keys / "evaluation.key"
        return self.cluster_jobs.evaluate(dataset, self.job, keys, self.path / "out", **{"threads": 1, **options})

    def check(self):
        """The results of all batches, decrypted, are those of the circuit in the clear."""
        results = sorted((self.path / "out").iterdir())
        assert [path.name for path in results] == [path.name for path in sorted((self.path / "in").iterdir())]
        found = []
        for path in results:
            inputs = [self.path / part / path.name for part in self.parts]
            self.client.decrypt_to(path, self.path / "out.csv", replace=True, of=inputs)
            found += map(int, (self.path / "out.csv").read_text().split()[1:])
        assert found == self.circuit.simulate(self.table)[self.job.outputs.names[0]].tolist()


@rm.circuit
def sum_of(a: rm.u4, b: rm.u4):
    return {"sum": a + b}


@rm.circuit
def product_of(a: rm.u6, b: rm.u6):
    return {"product": a * b}


def modified(path):
    return {file.name: file.stat().st_mtime_ns for file in path.iterdir()}
