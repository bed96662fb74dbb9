# Functions of the package torch itself that are Python's, not ops.


def _assert(condition: bool, message: str):
    assert condition, message
