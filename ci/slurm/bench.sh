#!/usr/bin/env bash
# One benchmark on many machines of a Slurm cluster:  ci/slurm/bench.sh [options of sbatch]
#
# Submits an array of tasks, each of which has a node for itself and measures old and new there by
# turns, and a job that joins the results. So both sides of a ratio are of one machine. Edit the
# three lines below first: copies of this script may lie anywhere. fusillade must be in PATH on all
# nodes. A node that is given twice counts as one machine.
set -euo pipefail

machines=8                # tasks of the array
out=$HOME/fusillade/speed # a folder that all nodes see
pair=(compare --commits HEAD~1 HEAD --processes 10 --builds "$out/builds") # or releases ...

# Results of a task are in machine-I once they are complete. A task that is requeued starts again.
run_pair() {
  local place=$out/machine-$SLURM_ARRAY_TASK_ID code=0
  rm -rf "$place" "$place.part" # results of an earlier run are not joined
  fusillade "${pair[@]}" --gate none --out "$place.part" || code=$?
  case $code in
    0 | 2 | 3) ;; # any verdict about this machine alone
    *) exit "$code" ;;
  esac
  mv "$place.part" "$place"
}

# Joins the results of all machines that measured. Exit code 2: a time became slower.
run_join() {
  local folders=() missing=() i
  for ((i = 0; i < machines; ++i)); do
    if [ -d "$out/machine-$i" ]; then folders+=("$out/machine-$i"); else missing+=("$i"); fi
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    echo "bench.sh: ${#folders[@]} of $machines machines have measured; not there: ${missing[*]}" \
      "(see $out/machine-I.log)" >&2
  fi
  if [ "${#folders[@]}" -eq 0 ]; then exit 1; fi
  exec fusillade compare --machines "${folders[@]}" --out "$out/all"
}

submit() {
  local array join folder
  mkdir -p "$out"
  case " $* " in
    *" --array"* | *" -a"*) ;; # some tasks again: the others' results stay
    *)
      for folder in "$out"/machine-*; do
        case $folder in *.log) ;; *) rm -rf "$folder" ;; esac
      done
      ;;
  esac
  array=$(sbatch --parsable --job-name=fusillade-bench --array="0-$((machines - 1))" --requeue \
    --exclusive --nodes=1 --open-mode=append --output="$out/machine-%a.log" "$@" "$0" --as-machine)
  join=$(sbatch --parsable --job-name=fusillade-compare --dependency="afterany:${array%%;*}" \
    --output="$out/compare.log" "$0" --as-join)
  echo "machines: job ${array%%;*}, compare: job ${join%%;*}; the result will be in $out/all"
}

case "${1:-}" in
  --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0" ;;
  --as-machine) run_pair ;;
  --as-join) run_join ;;
  "" | --*=* | -?) submit "$@" ;;
  *)
    echo "bench.sh: '$1' is no option of sbatch, as --partition=all is (see --help)" >&2
    exit 1
    ;;
esac
