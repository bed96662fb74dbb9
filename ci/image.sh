#!/usr/bin/env bash
# Makes the image of Dockerfile without docker, by buildah (Debian: buildah). Needs root.
#   ci/package.sh && ci/image.sh   dist/fusillade-VERSION.docker.tar, which `docker load`, `podman
#                                  load` and `ctr images import` take
#   --base=TAR   a bare Debian 12 to build from; otherwise it is pulled, or where no registry can be
#                reached made by mmdebstrap, once, in ${FRESH_DIR:-/var/tmp/fresh-debian}
#   --try        also runs it: as its user, on a root file system that is read only, offline
set -euo pipefail
cd "$(dirname "$0")/.."
base= try=
for word in "$@"; do
  case "$word" in
    --base=*) base=${word#*=} ;;
    --try) try=1 ;;
    --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "ci/image.sh: unknown word '$word'; legal: --base=TAR, --try" >&2; exit 1 ;;
  esac
done
wheels=(dist/fusillade-*.whl)
if [ "${#wheels[@]}" != 1 ] || [ ! -e "${wheels[0]}" ]; then
  echo "ci/image.sh: dist/ needs one wheel; ci/package.sh makes it" >&2
  exit 1
fi
if ! command -v buildah >/dev/null; then
  echo "ci/image.sh: there is no buildah; apt-get install buildah" >&2
  exit 1
fi
version=${wheels[0]#dist/fusillade-}
version=${version%%-*}
work=$(mktemp -d)
# Its own store: nothing of the machine's images is used or changed. vfs needs no mounts.
export BUILDAH_ISOLATION=chroot
store=(--root "$work/store" --runroot "$work/run" --storage-driver vfs)
clean() {
  buildah "${store[@]}" rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap clean EXIT
debian=docker.io/library/debian:bookworm-slim

made_here() {
  local fresh=${FRESH_DIR:-/var/tmp/fresh-debian}
  base=$fresh/base.tar
  if [ -s "$base" ]; then return; fi
  mkdir -p "$fresh"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$base.part.tar"
  mv "$base.part.tar" "$base"
}

if [ -z "$base" ] && ! buildah "${store[@]}" pull --quiet "$debian" >"$work/pull" 2>&1; then
  echo "ci/image.sh: $debian cannot be pulled ($(tail -c 120 "$work/pull")); one is made" >&2
  made_here
fi
if [ -n "$base" ]; then
  container=$(buildah "${store[@]}" from scratch)
  buildah "${store[@]}" add --quiet "$container" "$base" / >/dev/null
  buildah "${store[@]}" commit --quiet --rm "$container" "$debian" >/dev/null
fi
# What this machine trusts: there may be a proxy between it and the packages.
trusted=()
for file in /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
  if [ -e "$file" ]; then trusted+=(--volume "$file:$file:ro"); fi
done
buildah "${store[@]}" build --quiet --pull-never --layers=false "${trusted[@]}" \
  --tag "fusillade:$version" --file Dockerfile . >/dev/null
out=dist/fusillade-$version.docker.tar
rm -f "$out"
buildah "${store[@]}" push --quiet "fusillade:$version" "docker-archive:$out:fusillade:$version"
echo "$out"
if [ -z "$try" ]; then exit; fi

# As ci/kubernetes has it: user 1000, no capability, nothing but /out and /scratch can be written.
container=$(buildah "${store[@]}" from --pull-never "fusillade:$version")
root=$(buildah "${store[@]}" mount "$container")
mkdir -p "$work/out" "$work/scratch" "$root/out" "$root/scratch"
chown 1000 "$work/out" "$work/scratch"
export work root
unshare --mount --net --pid --fork -- sh -euc '
  mount --bind "$root" "$root"
  mount --bind "$work/out" "$root/out"
  mount --bind "$work/scratch" "$root/scratch"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount -o remount,bind,ro "$root"
  run() {
    chroot "$root" /usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs \
      --bounding-set=-all env -i TMPDIR=/scratch \
      PATH=/opt/fusillade/.venv/bin:/usr/local/bin:/usr/bin:/bin sh -c "$1"
  }
  run "! touch /opt/fusillade/x 2>/dev/null"
  run "fusillade --version"
  run "fusillade fuzz --seed 7 --shard 0/1 --runs 60 --jobs 1 --min-yield 0 --out /out/shard-0"
  run "fusillade merge /out/all /out/shard-0 --min-yield 0 && fusillade report /out/all"
'
test -s "$work/out/all/report/index.html"
echo "it runs as user 1000 on a root file system that is read only"
