"""Every operator of PyTorch's own database (OpInfo) on this engine: what runs, and with PyTorch's
results.

    /usr/bin/python3 suites/external/pytorch/operators.py --out out/o113.json           # 1.13.1
    build/engines/bin/python suites/external/pytorch/operators.py --out out/o213.json   # 2.13

A sample of the database is traced, saved and run by `fusillade run`, many in one archive; where an
archive is refused, its halves are tried. Dtypes: float32, float64, int64, bool, float16, bfloat16.
A sample passes when dtypes, sizes and values agree: integers and bools exactly, floats within the
larger of torch.testing.assert_close's bounds and the database's own, or as close to the same call
in float64 as twice PyTorch's own error. Of random results only dtypes and sizes are compared.
Outside are samples with complex, sparse or quantised tensors, without tensors among the results,
and those that PyTorch itself cannot run or trace; an operator all of whose samples are outside is
not counted, but listed.
"""

import argparse
import collections
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path

import outputs
import samples
import torch

MOST = 48  # samples in one archive


def judge(batch, path, plan):
    """Gives each sample its `trouble`, or `outside`."""
    try:
        samples.archive(batch, path)
        got = outputs.ran(path, plan)
    except Exception as error:  # tracing raises anything
        if len(batch) > 1:
            middle = len(batch) // 2
            judge(batch[:middle], path, plan)
            judge(batch[middle:], path, plan)
        elif isinstance(error, outputs.Refused):
            batch[0].trouble = str(error)
        else:
            batch[
                0
            ].outside = (
                f"torch.jit.trace raises {type(error).__name__}: {str(error).splitlines()[0][:80]}"
            )
        return
    at = 0
    for s in batch:
        ours, at = got[at : at + len(s.results)], at + len(s.results)
        s.trouble = compare_results(s, ours)
    assert at == len(got)


def compare_results(s, ours):
    for i, (mine, theirs) in enumerate(zip(ours, s.results)):
        if s.drawn:
            theirs, mine = torch.zeros_like(theirs), torch.zeros_like(mine)
        exact = s.exact[i] if s.exact else None
        wrong = outputs.difference(mine, theirs, *s.bounds, exact)
        if wrong:
            return wrong
    return ""


def operator(job):
    index, plan, share = job
    op = samples.op_db[index]
    passed = total = 0
    troubles, outside = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="fusillade-op-") as folder:
        for dtype in samples.dtypes_of(op):
            every = list(samples.samples_of(op, dtype, share, index))
            inside = [s for s in every if not s.outside]
            for at in range(0, len(inside), MOST):
                judge(inside[at : at + MOST], Path(folder) / "samples.pt", plan)
            for s in every:
                if s.outside:
                    outside[s.outside] += 1
                    continue
                total += 1
                passed += not s.trouble
                if s.trouble:
                    troubles[f"{str(dtype)[6:]}: {s.trouble}"] += 1
    return {
        "name": samples.name_of(op),
        "passed": passed,
        "samples": total,
        "troubles": troubles.most_common(),
        "outside": outside.most_common(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="JSON: one record per operator")
    parser.add_argument("--plan", default="eager")
    parser.add_argument(
        "--only", default="", help="operators whose name holds one of these words, by commas"
    )
    parser.add_argument(
        "--again",
        help="JSON of an earlier run, whose operators are judged again where a sample did not pass",
    )
    parser.add_argument(
        "--share", type=int, default=1, help="of the samples of each operator one in so many"
    )
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    chosen = [
        (i, given.plan, given.share)
        for i, op in enumerate(samples.op_db)
        if any(word in op.name for word in given.only.split(","))
    ]
    earlier = {}
    if given.again:
        before = json.loads(Path(given.again).read_text(encoding="utf-8"))
        if (before["torch"], before["plan"], before["share"]) != (
            torch.__version__,
            given.plan,
            given.share,
        ):
            parser.error(
                f"--again {given.again} is of PyTorch {before['torch']}, plan {before['plan']}, "
                f"share {before['share']}"
            )
        earlier = {r["name"]: r for r in before["operators"] if r["passed"] == r["samples"]}
        chosen = [job for job in chosen if samples.name_of(samples.op_db[job[0]]) not in earlier]
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        records = []
        for record in pool.imap(operator, chosen, chunksize=4):
            records.append(record)
            if len(records) % 25 == 0:
                print(f"{len(records)} of {len(chosen)} operators", file=sys.stderr, flush=True)
    records += earlier.values()
    records.sort(key=lambda r: r["name"])
    whole = {
        "torch": torch.__version__,
        "plan": given.plan,
        "share": given.share,
        "operators": records,
    }
    Path(given.out).write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    counted = [r for r in records if r["samples"]]
    right = [r for r in counted if r["passed"] == r["samples"]]
    print(
        f"torch {torch.__version__}: {len(right)} of {len(counted)} operators pass every sample "
        f"({sum(r['passed'] for r in counted)} of {sum(r['samples'] for r in counted)} samples); "
        f"{len(records) - len(counted)} have none"
    )


if __name__ == "__main__":
    main()
