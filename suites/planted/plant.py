#!/usr/bin/env python3
"""Makes a copy of the tree in which every record of suites/planted/ is a run-time switch.

    plant.py check              every record applies to the tree as it is; how many are modelled on
                                real bugs
    plant.py make FOLDER        writes the copy
    plant.py compile BUILD      every record compiles, with the flags of a configured and built
                                folder (its compile_commands.json); only syntax is looked at
    plant.py list               the records as JSON

A record is a file *.plant:

    id: clamp-drops-nan
    real: F6 (pytorch #11574)            the bug it is modelled on, or "own invention"
    file: engine/ops/pointwise.cpp
    class: NaN lost by select ordering
    oracle: differential                 expected to see it
    blame: operator                      expected of the bisection; alternatives by ' | '
    plan: vm/o2,fuse(pointwise,interp)   optional: what its campaign's programs meet, where
                                         campaigns do not unasked
    options: cuda_index_bits=8           optional: options of the engine that its campaign
                                         has, NAME=VALUE by blanks
    find:
      text, indented by two blanks, matching once; blanks and line ends are not compared, so that
       formatting the tree breaks no record
    replace:
      the text that takes its place; PLANTED is true when the switch is on

The file may be one of the texts that are embedded (engine/aten/*/*ops.py, engine/front/nn/*.py):
then PLANTED stands alone in the first line of the replacement, and the whole text is exchanged when
it is read.

The switch is the environment variable FUSILLADE_PLANTED=id. Each evaluation of an active switch
adds one to a counter in the file named by FUSILLADE_PLANTED_REACHED. The engine's own source never
contains any of this.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIELDS = ("id", "real", "file", "class", "oracle", "blame")
OPTIONAL = ("plan", "options")

SWITCH_HEADER = """// Made by suites/planted/plant.py: the switch of planted bugs.
#pragma once
namespace fusillade {
bool planted_on(const char* id);
// An embedded text, or the one that a record puts in its place.
const char* planted_text(const char* file, const char* text);
}
"""

SWITCH_SOURCE = """// Made by suites/planted/plant.py: the switch of planted bugs.
#include "engine/base/planted_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace fusillade {
namespace {
struct Switch {
  const char* id = std::getenv("FUSILLADE_PLANTED");
  std::atomic<uint64_t> own{0};
  std::atomic<uint64_t>* reached = &own;
  Switch() {
    const char* path = std::getenv("FUSILLADE_PLANTED_REACHED");
    if (!path) return;
    int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, 8) != 0) return;
    void* at = mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED) reached = static_cast<std::atomic<uint64_t>*>(at);
  }
};
}  // namespace

bool planted_on(const char* id) {
  static Switch s;
  if (!s.id || std::strcmp(s.id, id) != 0) return false;
  s.reached->fetch_add(1, std::memory_order_relaxed);
  return true;
}

namespace {
struct Text {
  const char *id, *file, *text;
};
const Text kTexts[] = {
%s};
}  // namespace

const char* planted_text(const char* file, const char* text) {
  for (const Text& t : kTexts)
    if (std::strcmp(t.file, file) == 0 && planted_on(t.id)) return t.text;
  return text;
}
}  // namespace fusillade
"""

EMBEDDED = re.compile(r"engine/(aten/\w+/\w*ops|front/nn/\w+)\.py")
# What writes the embedded texts, and what it writes in the copy.
EMBED = "cmake/embed.cmake"
EMBEDS = """R\\"nn(${text})nn\\"}"""
EMBEDS_PLANTED = """planted_text(\\"${name}\\", R\\"nn(${text})nn\\")}"""
EMBED_HEADER = """#include \\"${HEADER}\\"
"""


class Broken(Exception):
    pass


def parse_record(path):
    record = {"path": os.path.relpath(path, ROOT)}
    section = None
    blocks = {"find": [], "replace": []}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if section and (line.startswith("  ") or not line.strip()):
                blocks[section].append(line[2:])
                continue
            key, colon, value = line.partition(":")
            if colon and key in blocks and not value.strip():
                section = key
            elif colon and key in FIELDS + OPTIONAL:
                section = None
                record[key] = value.strip()
            elif line.strip():
                raise Broken(
                    f"{path}:{number}: '{line}' is not a field; legal: "
                    f"{', '.join(FIELDS + OPTIONAL)}, find, replace"
                )
    for key in FIELDS:
        if not record.get(key):
            raise Broken(f"{path}: no field '{key}'")
    for key, lines in blocks.items():
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            raise Broken(f"{path}: no block '{key}'")
        record[key] = "\n".join(lines)
    if "PLANTED" not in record["replace"]:
        raise Broken(f"{path}: the replacement does not mention PLANTED")
    if is_text(record) and record["replace"].splitlines()[0].strip() != "PLANTED":
        raise Broken(f"{path}: of a text, the replacement begins with a line PLANTED")
    return record


def is_text(record):
    return EMBEDDED.fullmatch(record["file"]) is not None


def load_records():
    names = sorted(n for n in os.listdir(HERE) if n.endswith(".plant"))
    records = [parse_record(os.path.join(HERE, n)) for n in names]
    ids = [r["id"] for r in records]
    for i in ids:
        if ids.count(i) > 1:
            raise Broken(f"two records are called '{i}'")
    return records


def pattern_of(text):
    """Matches the text however blanks, line ends and the pieces of a string literal lie."""
    pieces = [re.escape(c) for c in text if not c.isspace()]
    return re.compile(r'(?:\s|"\s+")*'.join(pieces))


def matched_once(record, text):
    """The pattern of the record's text."""
    find = pattern_of(record["find"])
    count = len(find.findall(text))
    if count != 1:
        raise Broken(
            f"{record['path']}: its text occurs {count} times in {record['file']}, once is legal"
        )
    return find


def planted_texts(records, read):
    """(id, name of the text, the whole text with the record in it) of embedded texts."""
    out = []
    for r in records:
        if not is_text(r):
            continue
        text = read(r["file"])
        find = matched_once(r, text)
        lines = "\n".join(r["replace"].splitlines()[1:])
        name = r["file"] if "/aten/" in r["file"] else os.path.basename(r["file"])[:-3]
        out.append((r["id"], name, find.sub(lambda _, lines=lines: lines.strip(), text)))
    return out


def switch_source(records, read):
    rows = "".join(
        f'    {{"{id}", "{name}", R"planted({text})planted"}},\n'
        for id, name, text in planted_texts(records, read)
    )
    return SWITCH_SOURCE.replace("%s", rows or '    {"", "", ""},\n')


def apply_records(records, read):
    """File -> text with every record of that file in place; embedded texts are left as they are."""
    texts = {}
    for r in records:
        if is_text(r):
            continue
        text = texts.get(r["file"]) or read(r["file"])
        find = matched_once(r, text)
        switch = f'::fusillade::planted_on("{r["id"]}")'
        planted = r["replace"].replace("PLANTED", switch)
        texts[r["file"]] = find.sub(lambda _, planted=planted: planted, text)
    include = '#include "engine/base/planted_switch.h"\n'
    return {name: include + text for name, text in texts.items()}


def read_source(name):
    path = os.path.join(ROOT, name)
    if not os.path.exists(path):
        raise Broken(f"{name} does not exist")
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_if_changed(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    with open(path, "wb") as file:
        file.write(data)


def source_files():
    wanted = (
        "engine",
        "fuzz",
        "bench/harness",
        "cmake",
        "docs/reference/shell",
        "CMakeLists.txt",
        "CMakePresets.json",
    )
    out = []
    for name in wanted:
        path = os.path.join(ROOT, name)
        if os.path.isfile(path):
            out.append(name)
        for folder, _, files in os.walk(path):
            out += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files]
    return sorted(out)


def remove_others(folder, wanted):
    """Sources that the tree no longer has would still be compiled."""
    for at, folders, files in os.walk(folder):
        if at == folder and "build" in folders:
            folders.remove("build")
        for file in files:
            path = os.path.join(at, file)
            if os.path.relpath(path, folder) not in wanted:
                os.remove(path)


def embed_planted(read):
    """cmake/embed.cmake of the copy."""
    text = read(EMBED)
    if EMBEDS not in text or EMBED_HEADER not in text:
        raise Broken(f"{EMBED} embeds otherwise than plant.py knows")
    with_switch = EMBED_HEADER + '#include \\"engine/base/planted_switch.h\\"\n'
    return text.replace(EMBEDS, EMBEDS_PLANTED).replace(EMBED_HEADER, with_switch)


def make(folder):
    records = load_records()
    planted = apply_records(records, read_source)
    planted[EMBED] = embed_planted(read_source)
    switch = ["engine/base/planted_switch.h", "engine/base/planted_switch.cpp"]
    remove_others(folder, set(source_files() + switch))
    for name in source_files():
        with open(os.path.join(ROOT, name), "rb") as file:
            data = file.read()
        if name in planted:
            data = planted[name].encode()
        write_if_changed(os.path.join(folder, name), data)
    write_if_changed(os.path.join(folder, "engine/base/planted_switch.h"), SWITCH_HEADER.encode())
    source = switch_source(records, read_source)
    write_if_changed(os.path.join(folder, "engine/base/planted_switch.cpp"), source.encode())


def plain_words(entry, folder):
    """The compiler's words for an entry, of the copy, without the object and without a cache."""
    words = shlex.split(entry["command"])
    start = next(i for i, w in enumerate(words) if "clang++" in w or w.endswith("g++"))
    out = []
    skipped = False
    for word in words[start:]:
        if skipped:
            skipped = False
        elif word == "-o":
            skipped = True
        elif not word.startswith("-fprofile-use"):
            out.append("-I" + folder if word == "-I" + ROOT else word)
    return [*out, "-Wno-error", "-w"]


def syntax_command(file, entry, folder):
    out = plain_words(entry, folder)
    out[out.index(entry["file"])] = os.path.join(folder, file)
    return [*out, "-fsyntax-only"]


class Precompiled:
    """What is precompiled holds headers of the tree; of the copy it is compiled anew, once for
    each."""

    def __init__(self, folder, build):
        self.folder, self.build, self.copies = folder, build, {}

    def of_copy(self, words):
        for header in [w for w in words if w.endswith(".hxx")]:
            copy = self._copy_of(header, words)
            words = [w.replace(header, copy, 1) if w.startswith(header) else w for w in words]
        return words

    def _copy_of(self, header, words):
        if header not in self.copies:
            path = os.path.join(self.folder, f"precompiled_{len(self.copies)}.hxx")
            with open(header, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                for part in ("engine", "fuzz", "bench"):
                    text = text.replace(f"{ROOT}/{part}/", f"{self.folder}/{part}/")
                file.write(text)
            # -Xclang -include-pch -Xclang FILE.pch -Xclang -include -Xclang FILE
            at = words.index("-include-pch") - 1
            plain = words[:at] + words[at + 8 : words.index("-c")]
            done = subprocess.run(
                [
                    *plain,
                    "-Wno-pragma-system-header-outside-header",
                    "-x",
                    "c++-header",
                    path,
                    "-o",
                    path + ".pch",
                ],
                cwd=self.build,
                capture_output=True,
                text=True,
                errors="replace",
            )
            if done.returncode != 0:
                raise Broken(f"the copy's headers do not compile:\n{done.stderr}")
            self.copies[header] = path
        return self.copies[header]


def entries_by_file(entries):
    """What compiles a file: an entry of its own, or that of the text that includes it
    (cmake/united)."""
    out = {}
    for entry in entries:
        file = os.path.relpath(entry["file"], ROOT)
        if "united" in file.split(os.sep):
            with open(entry["file"], encoding="utf-8") as text:
                out |= dict.fromkeys(re.findall(r'^#include "(.+)"', text.read(), re.M), entry)
        else:
            out[file] = entry
    return out


def compile_records(build):
    """The messages of what does not compile, and how many files were looked at."""
    planted = apply_records(load_records(), read_source)
    try:
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            entries = json.load(file)
    except OSError as error:
        raise Broken(f"{build} is not a configured build folder: {error}") from None
    files = [f for f in planted if f.endswith(".cpp")]
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        precompiled = Precompiled(folder, build)
        by_file = entries_by_file(entries)
        if missing := [f for f in files if f not in by_file]:
            raise Broken(f"{build} compiles no {missing[0]}")
        commands = {f: precompiled.of_copy(syntax_command(f, by_file[f], folder)) for f in files}

        def compile_file(file):
            done = subprocess.run(
                commands[file], cwd=build, capture_output=True, text=True, errors="replace"
            )
            return "" if done.returncode == 0 else f"{file}:\n{done.stderr}"

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return [message for message in pool.map(compile_file, files) if message], len(files)


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in ("check", "list"):
        verbs.add_parser(verb)
    for verb in ("make", "compile"):
        verbs.add_parser(verb).add_argument("folder")
    given = parser.parse_args(argv[1:])
    try:
        if given.verb == "check":
            records = load_records()
            apply_records(records, read_source)
            planted_texts(records, read_source)
            embed_planted(read_source)
            own = sum(r["real"].startswith("own invention") for r in records)
            print(
                f"{len(records)} records apply; {len(records) - own} are modelled on real bugs, "
                f"{own} are our own invention"
            )
        elif given.verb == "list":
            print(json.dumps(load_records(), indent=1))
        elif given.verb == "make":
            make(given.folder)
        else:
            wrong, files = compile_records(os.path.abspath(given.folder))
            print("".join(wrong) + f"{files} files with records, {len(wrong)} do not compile")
            return 1 if wrong else 0
    except Broken as error:
        print(f"plant.py: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
