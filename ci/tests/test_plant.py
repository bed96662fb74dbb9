"""suites/planted/plant.py: what a record breaks is named, and so is a folder that was never
configured; embedded texts are exchanged whole. suites/planted/mutate.py: mutants of a seed.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "suites", "planted"))

import mutate
import plant

RECORDS = plant.load_records()
FILES = {r["file"] for r in RECORDS if r["file"].endswith(".cpp")}
RECORD = next(r for r in RECORDS if r["file"].startswith("engine/"))


def compile_record(tmp_path, compiler):
    """What `compile` says of one file with records, where `compiler` is a shell script."""
    path = tmp_path / "clang++-of-the-test"
    path.write_text("#!/bin/sh\n" + compiler)
    path.chmod(0o755)
    (tmp_path / "united").mkdir()
    text = tmp_path / "united" / "all.cpp"
    text.write_text("".join(f'#include "{f}"\n' for f in sorted(FILES - {RECORD["file"]})))
    command = f"{path} -I{ROOT} -O2 -o x.o -c {text}"
    commands = [{"directory": str(tmp_path), "file": str(text), "command": command}]
    file = os.path.join(ROOT, RECORD["file"])
    command = f"sh cached.sh ccache {path} -DOWN -I{ROOT} -O2 -o x.o -c {file}"
    commands.append({"directory": str(tmp_path), "file": file, "command": command})
    (tmp_path / "compile_commands.json").write_text(json.dumps(commands))
    return plant.compile_records(str(tmp_path))


def test_the_copy_and_not_the_tree_is_compiled(tmp_path):
    # fails where the file is the tree's, or holds no switch
    script = f"""for w; do
    case $w in -I{ROOT} | {ROOT}/*) exit 1 ;; *.cpp) source=$w ;; esac
done
grep -q planted_on "$source" && [ "$w" = -fsyntax-only ]
"""
    wrong, files = compile_record(tmp_path, script)
    assert (wrong, files) == ([], len(FILES))


def test_what_does_not_compile_is_named(tmp_path):
    wrong, files = compile_record(
        tmp_path, "for w; do [ $w != -DOWN ] || { echo no such name >&2; exit 1; }; done\n"
    )
    assert files == len(FILES)
    assert wrong == [f"{RECORD['file']}:\nno such name\n"]


def test_a_folder_that_was_never_configured(tmp_path):
    script = os.path.join(ROOT, "suites", "planted", "plant.py")
    done = subprocess.run(
        [sys.executable, script, "compile", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"{tmp_path} is not a configured build folder" in done.stderr


def test_the_copy_has_what_the_build_names():
    """A file outside of the sources that CMake reads, or embeds, would be missing in the copy."""
    copied = plant.source_files()
    tree = Path(ROOT)
    for path in [tree / "CMakeLists.txt", *sorted((tree / "cmake").rglob("*.cmake"))]:
        for named in re.findall(r"\$\{(?:PROJECT|CMAKE)_SOURCE_DIR\}/([\w/.]+)", path.read_text()):
            if not named.startswith("suites"):
                assert any(f == named or f.startswith(named + "/") for f in copied), (path, named)


TEXT = {
    "id": "text-of-the-test",
    "path": "suites/planted/text-of-the-test.plant",
    "file": "engine/aten/norm/ops.py",
    "find": "aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
    "replace": "PLANTED\naten::norm_except_dim(Tensor v, int pow=3, int dim=0) -> Tensor",
}


def test_an_embedded_text_is_exchanged_and_its_file_stays():
    assert TEXT["file"] not in plant.apply_records([TEXT], plant.read_source)
    source = plant.switch_source([TEXT], plant.read_source)
    text = plant.read_source(TEXT["file"])
    changed = text.replace("v, int pow=2,", "v, int pow=3,")
    assert changed != text
    assert f'{{"text-of-the-test", "engine/aten/norm/ops.py", R"planted({changed})planted"}}' in (
        source
    )
    assert "planted_text(" in plant.embed_planted(plant.read_source)


def test_a_text_that_is_gone_is_an_error():
    with pytest.raises(plant.Broken, match="occurs 0 times"):
        plant.planted_texts([{**TEXT, "find": "no such line"}], plant.read_source)


def test_mutants_are_those_of_the_seed_and_apply():
    drawn = list(mutate.draw(30, 5))
    assert drawn == list(mutate.draw(30, 5)) != list(mutate.draw(30, 6))
    assert len({kind for _, _, _, kind, _ in drawn}) > 2
    records = []
    for one in drawn:
        name, text = mutate.record(*one, "differential")
        find, _, replace = text.partition("find:\n")[2].partition("replace:\n")
        records.append({"id": name, "path": name, "file": one[0], "find": find, "replace": replace})
        assert "PLANTED" in replace
    assert len(plant.apply_records(records, plant.read_source)) == len({r["file"] for r in records})


def test_mutants_are_not_written_over_the_records_of_this_tree():
    script = os.path.join(ROOT, "suites", "planted", "mutate.py")
    done = subprocess.run([sys.executable, script, "--into", ROOT], capture_output=True, text=True)
    assert done.returncode == 1
    assert "is not another tree" in done.stderr
    assert len(plant.load_records()) == len(RECORDS)
