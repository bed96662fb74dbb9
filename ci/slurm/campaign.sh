#!/usr/bin/env bash
# One campaign on a Slurm cluster:  ci/slurm/campaign.sh [options of sbatch for the shards]
#
# Submits an array of tasks, each of which runs a shard, and a job that merges them when all have
# ended. A task that is requeued continues its shard. A task that is warned (SIGUSR1) requeues
# itself, and continues later. Edit the lines below first: copies of this script may lie anywhere.
# fusillade must be in PATH on all nodes.
set -euo pipefail

shards=8                             # tasks of the array
out=$HOME/fusillade/night            # a folder that all nodes see
flags=(--seed 7 --max-total-time=2h) # of `fusillade fuzz`, the same for all shards
scratch=${SLURM_TMPDIR:-}            # a folder on the node's own disk; empty: shards run in out
every=600                            # seconds between two copies of a shard from scratch to out

# ---- copies: out/shard-I always holds one consistent state

# Puts the old state back if a copy was interrupted after the old state had been moved away.
settle() {
  local old=$out/.copies/${1##*/}.old
  if [ ! -e "$1" ] && [ -e "$old" ]; then mv -T "$old" "$1"; fi
}

# put FOLDER PLACE: a copy of the folder replaces what is in the place.
put() {
  local old=$out/.copies/${2##*/}.old new=$out/.copies/${2##*/}.$HOSTNAME.$$
  mkdir -p "$out/.copies" && rm -rf "$new" && cp -a "$1" "$new" && rm -rf "$old" || return
  if [ -e "$2" ]; then mv -T "$2" "$old" || return; fi
  mv -T "$new" "$2" || { settle "$2" && return 1; }
  rm -rf "$old"
}

# A process and all below it.
below() {
  local child
  echo "$1"
  for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do below "$child"; done
}

is_held() {
  local pid state
  for pid in $(below "$1"); do
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) || continue
    case $state in T* | Z* | X* | "") ;; *) return 1 ;; esac
  done
}

# snap PID FOLDER: copies FOLDER to FOLDER.copy while the whole campaign is stopped. The copy is
# what a kill at that moment would leave.
snap() {
  local tries
  for tries in {1..50}; do
    kill -STOP $(below "$1") 2>/dev/null || true
    if is_held "$1"; then break; fi
    sleep 0.05
  done
  rm -rf "$2.copy"
  if is_held "$1"; then cp -a "$2" "$2.copy" || rm -rf "$2.copy"; fi
  kill -CONT $(below "$1") 2>/dev/null || true
  [ -e "$2.copy" ]
}

# ---- jobs

run_shard() {
  local place=$out/shard-$SLURM_ARRAY_TASK_ID folder resume=() code=0
  local pid="" timer="" copier="" told="" warned=""
  trap 'told=yes warned=yes; kill -TERM $pid 2>/dev/null || true' USR1
  trap 'told=yes; kill -TERM $pid 2>/dev/null || true' TERM INT
  folder=$place
  settle "$place"
  if [ -n "$scratch" ]; then
    folder=$scratch/fusillade-$SLURM_JOB_ID/shard
    rm -rf "${folder%/*}"
    mkdir -p "${folder%/*}"
    if [ -e "$place" ]; then cp -a "$place" "$folder"; fi
  fi
  if [ -e "$folder/campaign.db" ]; then resume=(--resume); fi
  fusillade fuzz --shard "slurm/$shards" --jobs "${SLURM_CPUS_PER_TASK:-1}" "${flags[@]}" \
    "${resume[@]}" --out "$folder" &
  pid=$!
  if [ -n "$told" ]; then kill -TERM "$pid"; fi
  while kill -0 "$pid" 2>/dev/null; do
    if [ -n "$scratch" ] && ! kill -0 "$timer" 2>/dev/null; then
      if [ -n "$timer" ] && ! kill -0 "$copier" 2>/dev/null && snap "$pid" "$folder"; then
        put "$folder.copy" "$place" &
        copier=$!
      fi
      sleep "$every" &
      timer=$!
    fi
    wait -n "$pid" $timer 2>/dev/null || true
  done
  wait "$pid" || code=$?
  if [ -n "$scratch" ]; then
    kill "$timer" 2>/dev/null || true
    wait || true
    if put "$folder" "$place"; then
      rm -rf "${folder%/*}"
    else
      echo "campaign.sh: $folder on $HOSTNAME could not be copied to $place, and is kept" >&2
      code=1
    fi
  fi
  # Exit codes: 0: it ran, whatever it found. 72: it was told to stop, and has saved all. 143: it
  # was told to stop before it had begun. SLURM_ARRAY_JOB_ID alone would requeue all tasks.
  case $warned$code in
    yes72 | yes143) scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" || true ;;
  esac
  exit "$code"
}

# Merges all shards, also those that failed, as far as they ran. Exit code 2: there are findings.
run_merge() {
  local folders=() of_merge=() database old i
  for old in "$out"/.copies/*.old; do
    if [ -e "$old" ]; then settle "$out/$(basename "$old" .old)"; fi
  done
  for database in "$out"/shard-*/campaign.db; do folders+=("${database%/*}"); done
  for ((i = 0; i < ${#flags[@]}; ++i)); do
    case ${flags[i]} in
      --known=* | --min-yield=*) of_merge+=("${flags[i]}") ;;
      --known | --min-yield) of_merge+=("${flags[@]:i++:2}") ;;
    esac
  done
  exec fusillade merge "${of_merge[@]}" "$out/all" "${folders[@]}"
}

submit() {
  local array merge
  mkdir -p "$out"
  array=$(sbatch --parsable --job-name=fusillade --array="0-$((shards - 1))" --requeue \
    --open-mode=append --signal=B:USR1@60 --output="$out/shard-%a.log" "$@" "$0" --as-shard)
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
