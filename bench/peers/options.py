"""Options of these scripts that can be wrong: each is an error of argparse, with exit code 2, that
says what is legal."""

import argparse
import os
import re
import shutil


def rounds(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of rounds: 1 or more")
    return int(text)


def threads(text):
    most = len(os.sched_getaffinity(0))
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no number of threads: from 1 to {most}, the cores of this process"
        )
    return int(text)


def core(text):
    cores = sorted(os.sched_getaffinity(0))
    if not text.isdecimal() or int(text) not in cores:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no core of this process: {', '.join(map(str, cores))}"
        )
    return int(text)


def pattern(text):
    try:
        re.compile(text)
    except re.error as e:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no regular expression of Python's: {e}"
        ) from None
    return text


def file_to_write(text):
    folder = os.path.dirname(os.path.abspath(text))
    if os.path.isdir(text) or not os.access(folder, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(
            f"'{text}' cannot be written: it is to be a file in a folder that is there"
        )
    return text


def need_interpreter(parser, python):
    """Asked behind the parsing, for a default may not be there and not be needed."""
    if not shutil.which(python):
        parser.error(
            f"argument --python: '{python}' is no program; ci/setup.sh --engines makes "
            "build/engines/bin/python"
        )
