"""Files written whole or not at all, and never through a link that lies in a folder of a
stranger."""

import os
import stat

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Linked(OSError):
    """A symbolic link where a file or a folder of ours should be."""

    def __str__(self):
        return self.args[0]


def _is_link(name, folder):
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _open_folder(folder, names, make):
    """A descriptor of a folder below this one; no step follows a link."""
    at, below_path = os.open(folder, FOLDER), folder
    try:
        for name in names:
            below_path = os.path.join(below_path, name)
            if make:
                try:
                    os.mkdir(name, 0o755, dir_fd=at)
                except FileExistsError:
                    pass
            if _is_link(name, at):
                raise Linked(
                    f"{below_path} is a symbolic link: nothing in {folder} is written through one; "
                    "remove it, or take another folder"
                )
            below = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
    except BaseException as error:
        os.close(at)
        if isinstance(error, OSError) and not isinstance(error, Linked):
            raise type(error)(error.errno, error.strerror, below_path) from error
        raise
    return at


def write(path, text, inside=""):
    """Text or bytes. inside: the folder that was handed over, below which nothing is written
    through a link."""
    folder, name = os.path.split(path)
    os.makedirs(inside or folder or ".", exist_ok=True)
    names = os.path.relpath(folder, inside).split(os.sep) if inside else []
    at = _open_folder(inside or folder or ".", [n for n in names if n != "."], True)
    try:
        _replace(at, name, text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    except OSError as error:  # one of writing names no file
        raise type(error)(error.errno, error.strerror, path) from error
    finally:
        os.close(at)


def _replace(folder, name, data):
    """A link of this name is replaced, as a file is."""
    part = name + ".part"
    try:
        os.unlink(part, dir_fd=folder)
    except FileNotFoundError:
        pass
    fd = os.open(
        part,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o644,
        dir_fd=folder,
    )
    with open(fd, "wb") as file:
        file.write(data)
    os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)


def remove(inside, below, unwanted):
    """Files of a folder below `inside` whose names are unwanted(name)."""
    if not os.path.isdir(os.path.join(inside, below)):
        return
    at = _open_folder(inside, below.split(os.sep), False)
    try:
        for name in os.listdir(at):
            if unwanted(name):
                os.unlink(name, dir_fd=at)
    finally:
        os.close(at)
