"""Does a text return what the statement computes that raised an error? A compiler may leave out an
operator whose result nobody needs, with its error, and no other.

Followed are straight lines of assignments from the statement to a `return`. Where a branch, a loop
or a question about sizes and dtypes comes between, the answer is no: it is not known."""

import ast

SAY_NO_VALUES = {
    "shape",
    "size",
    "dtype",
    "dim",
    "ndim",
    "numel",
    "device",
    "stride",
    "is_contiguous",
}


def names(node, context):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def asks_no_values(node):
    """Does it ask a tensor for something that needs none of its values?"""
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    calls = {
        n.func.id
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    return bool(attributes & SAY_NO_VALUES or calls & {"len", "type", "isinstance"})


def targets_of(statement):
    """Names that hold what the statement computes."""
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return names(statement, ast.Store)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if call.func.attr.endswith("_") and isinstance(owner, ast.Name):
            return {owner.id}  # in place
    return set()


def is_returned(function, line):
    """Does this function return what its statement at this line computes?"""
    known = None
    for statement in function.body:
        here = statement.lineno <= line <= statement.end_lineno
        if known is None and not here:
            continue
        if asks_no_values(statement):
            return False
        if isinstance(statement, ast.Return):
            return here or bool(names(statement, ast.Load) & known)
        if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)):
            return False
        if here:
            known = targets_of(statement)
        elif names(statement, ast.Load) & known:
            known |= targets_of(statement)
    return False


def raised_for_result(error, tree, file):
    """Of all functions of the text that were at work, each returns it."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    at, found = error.__traceback__, False
    while at is not None:
        if at.tb_frame.f_code.co_filename == file:
            line = at.tb_lineno
            around = [f for f in functions if f.lineno <= line <= f.end_lineno]
            if not around or not is_returned(max(around, key=lambda f: f.lineno), line):
                return False
            found = True
        at = at.tb_next
    return found
