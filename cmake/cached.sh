#!/bin/sh
# A compiler behind ccache, from whatever folder the tree lies in:
#   cached.sh CCACHE TREE COMPILER ARGUMENTS
#
# Three things kept ccache from finding what another worktree of the same commit had compiled. A
# precompiled header holds the names of its own files, and ccache hashes it whole: beside each one
# (which is of its folder alone) a checksum is laid, which ccache takes instead, of the contents of
# all files that went into it and of the arguments without the name of the tree. Names behind
# -Xclang it leaves as they are: those of the build folder, in which compilers run, are made
# relative. And so is the name of a profile, whose contents ccache hashes besides.
set -e
# What a file includes is told by the compiler, and not by a preprocessor run beside it.
export CCACHE_DEPEND=1
ccache=$1 tree=$2
shift 2
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
out='' deps='' last=''
for word; do
  case $last in -o) out=$word ;; -MF) deps=$word ;; esac
  last=$word
done
case $out in
  *.pch) ;;
  *)
    for word; do
      shift
      case $word in
        "-fprofile-use=$tree/"*) word=-fprofile-use=$(realpath --relative-to=. "${word#*=}") ;;
      esac
      set -- "$@" "${word#"$PWD/"}"
    done
    export CCACHE_BASEDIR="$tree" CCACHE_NOHASHDIR=1
    exec "$ccache" "$@"
    ;;
esac
rm -f "$out.sum"
"$ccache" "$@"
{
  echo "$*" | sed "s|$tree||g"
  # The rule "target: file file \", a word a line; names of files have no blanks.
  sed 's/^[^:]*://; s/\\$//' "$deps" | tr -s ' ' '\n' | sed '/^$/d' | xargs cat
} | sha256sum > "$out.sum"
