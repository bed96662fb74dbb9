#!/usr/bin/env bash
# Makes the packages of this version in dist/: a wheel, a .tar.gz that needs no Python, a .deb.
#   ci/package.sh             builds the portable executable first (ci/portable.sh)
#   ci/package.sh --no-build  packs build/portable as it is; --build-dir=DIR: another build folder
# All three hold the same files: what `cmake --install --component program` installs.
# ci/try_package.py tries them.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/portable
build_first=1
for word in "$@"; do
  case "$word" in
    --no-build) build_first= ;;
    --build-dir=*) build=${word#*=} build_first= ;;
    --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
    *) echo "ci/package.sh: unknown word '$word'; legal: --no-build, --build-dir=DIR" >&2; exit 1 ;;
  esac
done
[ -z "$build_first" ] || ci/portable.sh
if [ ! -x "$build/fusillade" ]; then
  echo "ci/package.sh: there is no $build/fusillade; build it first" >&2
  exit 1
fi
version=$("$build/fusillade" --version | sed -n '1s/^fusillade //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p dist
# The same commit gives the same bytes.
date=$(git log -1 --format=%ct 2>/dev/null || echo 946684800)
export SOURCE_DATE_EPOCH=$date

tree=$work/fusillade-$version
cmake --install "$build" --component program --prefix "$tree" >/dev/null
chmod -R u=rwX,go=rX "$tree"

tar --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -C "$work" -cf - \
  "fusillade-$version" |
  gzip -9n >"dist/fusillade-$version-linux-x86_64.tar.gz"

python3 ci/wheel.py "$tree" "$version" dist

deb=$work/deb
mkdir -p "$deb/DEBIAN"
cp -r "$tree" "$deb/usr"
# Where Debian's zsh looks.
mv "$deb/usr/share/zsh/site-functions" "$deb/usr/share/zsh/vendor-completions"
chmod 755 "$deb"
cat >"$deb/DEBIAN/control" <<CONTROL
Package: fusillade
Version: $version
Architecture: amd64
Maintainer: The authors of Fusillade <fusillade@localhost>
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: libc6 (>= 2.36)
Recommends: python3, python3-numpy, python3-matplotlib, python3-jinja2, python3-jsonschema
Section: devel
Priority: optional
Description: differential fuzzing and benchmarks for tensor JIT compilers
 Campaigns, reduction, blame and reports, with PyTorch, JAX, ONNX Runtime or a
 compiler of one's own on the other side. The packages of Python that it
 recommends are for reports.
CONTROL
dpkg-deb --root-owner-group -Zxz --build "$deb" "dist/fusillade_${version}_amd64.deb" >/dev/null
ls -l dist/*"$version"* | awk '{print "package: " $NF ", " $5 " bytes"}'
