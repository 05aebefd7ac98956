"""Pictures and tables of notebooks."""

import re

import matplotlib
import numpy as np

matplotlib.use("Agg")


def test_plots_show_the_plan(less, tmp_path):
    job, *_ = less
    figure = job.plot()
    figure.savefig(tmp_path / "plan.png")
    noise, time, memory = figure.axes
    report = job.report
    assert max(noise.lines[0].get_xdata()) >= report.depth - 1
    assert max(noise.lines[0].get_ydata()) < -1
    # Making values factors is in the plan's seconds, and no step.
    bars = sum(bar.get_width() for bar in time.patches)
    assert 0.2 * report.seconds < bars <= report.seconds
    drawn = memory.lines[0].get_ydata() * 2**20
    np.testing.assert_allclose(drawn.max(), report.memory)
    assert [label.get_text() for label in time.get_yticklabels()][-1] == "product"


def test_reprs_are_tables(less):
    job, client, server = less
    results = server.evaluate(client.encrypt([{"a": 1, "b": 2}]))
    shown = [job, job.report, job.circuit, job.inputs, results.account, client.decrypt(results)]
    for thing in shown:
        text = thing._repr_html_()
        assert text.startswith("<table>") and text.count("<tr>") == text.count("</tr>") > 1
        assert not re.search(r"<(?!/?(table|thead|tbody|tr|th|td|caption)>)", text)
    assert "True" in shown[-1]._repr_html_()
