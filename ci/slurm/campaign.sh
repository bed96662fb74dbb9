#!/usr/bin/env bash
# One campaign on a Slurm cluster:  ci/slurm/campaign.sh [options of sbatch for the shards]
#
# Submits an array of tasks, each of which runs a shard, and a job that merges them when all have
# ended. A task that is requeued goes on where it was. Edit the three lines below first: copies of
# this script may lie anywhere. fusillade must be in PATH on all nodes.
set -euo pipefail

shards=8                             # tasks of the array
out=$HOME/fusillade/night            # a folder that all nodes see
flags=(--seed 7 --max-total-time=2h) # of `fusillade fuzz`, the same for all shards

run_shard() {
  local folder=$out/shard-$SLURM_ARRAY_TASK_ID resume=()
  if [ -e "$folder/campaign.db" ]; then resume=(--resume); fi
  # 72, when it is told to stop, has saved all; 0 says that it ran, whatever it found.
  exec fusillade fuzz --shard "slurm/$shards" --jobs "${SLURM_CPUS_PER_TASK:-1}" "${flags[@]}" \
    "${resume[@]}" --out "$folder"
}

# Of shards that failed, too, as far as they came; 2: there are findings.
run_merge() {
  local folders=() database
  for database in "$out"/shard-*/campaign.db; do folders+=("${database%/*}"); done
  exec fusillade merge "$out/all" "${folders[@]}"
}

submit() {
  local array merge
  mkdir -p "$out"
  array=$(sbatch --parsable --job-name=fusillade --array="0-$((shards - 1))" --requeue \
    --open-mode=append --signal=B:TERM@60 --output="$out/shard-%a.log" "$@" "$0" --as-shard)
  merge=$(sbatch --parsable --job-name=fusillade-merge --dependency="afterany:${array%%;*}" \
    --output="$out/merge.log" "$0" --as-merge)
  echo "shards: job ${array%%;*}, merge: job ${merge%%;*}; the result will be in $out/all"
}

case "${1:-}" in
  --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0" ;;
  --as-shard) run_shard ;;
  --as-merge) run_merge ;;
  "" | --*=* | -?) submit "$@" ;;
  *)
    echo "campaign.sh: '$1' is no option of sbatch, as --cpus-per-task=4 is (see --help)" >&2
    exit 1
    ;;
esac
