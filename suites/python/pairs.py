"""A fusillade that measures a pair at once: old, again and new are one build, a few processes of
one small program. It names its machine after a variable, as if each value were another machine, and
fails in task I of an array if there is a file FUSILLADE.fails-I."""

import sys

from under_test import BINARY

TEXT = """#!{python}
import json, os, subprocess, sys
words = sys.argv[1:]
if "--machines" in words or words[0] not in ("compare", "releases"):
    os.execv("{binary}", ["{binary}", *words])
if os.path.exists(sys.argv[0] + ".fails-" + os.environ.get("SLURM_ARRAY_TASK_ID", "")):
    sys.exit(1)
out = words[words.index("--out") + 1]
os.makedirs(out)
for side in ("old", "again", "new"):
    path = os.path.join(out, side + ".json")
    subprocess.run(["{binary}", "bench", "--filter=^ratio_iou/N:16$", "--plan=vm/o2",
                    "--iterations=20", "--no-check", "--processes=3", "--out", path], check=True)
    data = json.load(open(path))
    name = os.environ["{variable}"]
    data["context"].update(host_name=name, boot_id=name)
    json.dump(data, open(path, "w"))
"""


def stand_in_for_pairs(path, variable):
    path.write_text(TEXT.format(python=sys.executable, binary=BINARY, variable=variable))
    path.chmod(0o755)
