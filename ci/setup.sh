#!/usr/bin/env bash
# Installs what a bare Debian 12 lacks to build, test and run Fusillade. Idempotent; says what it does.
#   ci/setup.sh            the product's own needs
#   ci/setup.sh --peers    also Debian's python3-torch (the real TorchScript, for conformance tests)
# Without root it names what is missing and exits 1.
set -euo pipefail

packages=(
  clang-19 clang-format-19 lld-19 llvm-19-dev libclang-rt-19-dev cmake ninja-build ccache git ca-certificates
  libgtest-dev libbenchmark-dev nlohmann-json3-dev libfmt-dev libcli11-dev libsqlite3-dev
  libopenblas-serial-dev zlib1g-dev libzstd-dev
  python3-matplotlib python3-numpy python3-scipy python3-jinja2 python3-pytest python3-pytest-xdist
)
for word in "$@"; do
  case "$word" in
    --peers) packages+=(python3-torch) ;;
    *) echo "ci/setup.sh: unknown word '$word'; legal: --peers" >&2; exit 1 ;;
  esac
done

missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "setup: missing, and not root to install them: ${missing[*]}" >&2
  exit 1
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
log=$(mktemp)
apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 1; }
rm -f "$log"
