#!/usr/bin/env bash
# The main job from a bare clone: install what is missing, build, run a campaign.
#   ci/fuzz.sh [flags of `fusillade fuzz`]     default: --max-total-time=60 --out=out/<date>
set -euo pipefail
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*)
  sed -n '2,3p' "$0"
  if [ -x build/release/fusillade ]; then exec build/release/fusillade fuzz --help; fi
  echo "The flags are told by fusillade fuzz --help, once it is built."
  exit 0
  ;;
esac
start=$(date +%s)
ci/setup.sh
ci/build.sh release fusillade
flags=("$@")
case " $* " in
  *" --out"*) ;;
  *) flags+=("--out=out/fuzz-$(date +%Y%m%d-%H%M%S)") ;;
esac
case " $* " in
  *max[-_]total[-_]time* | *--runs* | *-runs=* | *--mode*) ;;
  *) flags+=("--max-total-time=60") ;;
esac
echo "fuzz: ready after $(($(date +%s) - start)) s"
mkdir -p out
rc=0
build/release/fusillade fuzz "${flags[@]}" || rc=$?
echo "fuzz: ended with $rc after $(($(date +%s) - start)) s"
exit "$rc"
