#!/usr/bin/env bash
# What a machine with a GPU is asked, into one JSON; without one it says SKIP and why, and exits 0.
#   ci/gpu.sh [--out DIR] [--seconds N | --runs N] [--megabytes N] [--rounds N] [--cases GLOB]
#   default: out/gpu, 60 seconds a campaign, 64, 20, suites/regress/*.case
#
# The driver is tried one call at a time; kernels of three programs are timed beside a copy, row by
# row, and beside PyTorch where Python has one that sees the GPU; saved cases are judged with their
# tensors on the device (conformance); campaigns hunt under plans that run on the GPU, of all three
# fusers: all that a campaign claims, `ring` alone, programs that are one large group each, and
# programs whose tensors lie there. Exit code 2: something of it is wrong.
#
# The machine needs Python 3, the driver and an NVRTC, cuBLAS for products, and nothing of it is
# installed: build/portable/fusillade (ci/portable.sh), or what FUSILLADE_BINARY names, is carried
# there with the tree.
set -euo pipefail
case "${1:-}" in --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
cd "$(dirname "$0")/.."
out=out/gpu
limit=(--max-total-time 60)
megabytes=64
rounds=20
cases='suites/regress/*.case'
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || { echo "ci/gpu.sh: $1 has no value" >&2; exit 1; }
  case "$1" in
    --out) out=$2 ;;
    --seconds) limit=(--max-total-time "$2") ;;
    --runs) limit=(--runs "$2") ;;
    --megabytes) megabytes=$2 ;;
    --rounds) rounds=$2 ;;
    --cases) cases=$2 ;;
    *)
      echo "ci/gpu.sh: unknown word '$1'; legal: --out, --seconds, --runs, --megabytes, --rounds," \
        "--cases" >&2
      exit 1
      ;;
  esac
  shift 2
done
python=${FUSILLADE_PYTHON:-python3}
exe=${FUSILLADE_BINARY:-}
for built in build/portable/fusillade build/release/fusillade; do
  if [ -z "$exe" ] && [ -x "$built" ]; then exe=$built; fi
done
if [ -z "$exe" ]; then
  echo "ci/gpu.sh: no binary; ci/portable.sh builds one, FUSILLADE_BINARY names another" >&2
  exit 1
fi
mkdir -p "$out"
rm -rf "$out"/{device.json,device.txt,gpu.json,peers.json,peers.txt} \
  "$out"/{differential,ring,groups,there,conformance}{,.txt,.rc}  # of a run before

# Where pip or NVIDIA's toolkit put a library; what the loader knows needs no telling.
find_library() {
  local place of_pip
  of_pip=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])' 2>/dev/null || true)
  for place in build/nvrtc/nvidia/cu13/lib "$of_pip"/c*/lib /usr/local/cuda*/lib64 \
    /usr/local/cuda*/targets/*/lib; do
    if [ -f "$place/$1" ]; then echo "$place/$1"; return; fi
  done
}
if [ -z "${FUSILLADE_NVRTC:-}" ]; then
  FUSILLADE_NVRTC=$(find_library libnvrtc.so.13)
  export FUSILLADE_NVRTC
fi
if [ -z "${FUSILLADE_CUBLAS:-}" ]; then
  FUSILLADE_CUBLAS=$(find_library libcublas.so.13)
  export FUSILLADE_CUBLAS
fi

rc=0
"$exe" gpu --out "$out/device.json" --megabytes "$megabytes" --rounds "$rounds" |
  tee "$out/device.txt" || rc=$?
if [ "$rc" -eq 3 ]; then
  reason=$(sed -n 's/^no GPU: //p' "$out/device.txt")
  "$python" -c 'import json, sys; json.dump({"skipped": sys.argv[1]}, open(sys.argv[2], "w"))' \
    "$reason" "$out/gpu.json"
  echo "gpu: SKIP: $reason"
  exit 0
fi
[ "$rc" -eq 0 ] || echo "gpu: the driver or a program FAILED ($rc)"
failed=$rc

if "$python" bench/peers/on_gpu.py "$out/device.json" "$out/peers.json" >"$out/peers.txt" 2>&1; then
  sed 's/^/gpu: PyTorch: /' "$out/peers.txt"
else
  echo "gpu: SKIP beside PyTorch: $(tail -n 1 "$out/peers.txt")"
fi

conformance() { # a plan: saved cases, each judged in a process of its own
  local rc=0 agree
  # shellcheck disable=SC2086
  "$exe" repro --timeout 120s --plan "$1" $cases >>"$out/conformance.txt" 2>&1 || rc=$?
  agree=$(grep -c ': ok$' "$out/conformance.txt" || true)
  echo "gpu: conformance under $1 ended with $rc: $agree cases agree so far"
  [ "$rc" -eq 0 ] || { failed=2; echo "$rc" >"$out/conformance.code"; }
}
rm -f "$out/conformance.code"
for plan in eager@cuda "vm@cuda/o2,fuse(tile,cuda)" "vm@cuda/o2,fuse(loopnest,cuda)"; do
  conformance "$plan"
done

campaign() { # name, words of `fusillade fuzz`
  local name=$1 rc=0
  shift
  # Row by row each shape of each row is a kernel, which the first call compiles.
  "$exe" fuzz "$@" "${limit[@]}" --timeout 120s --seed 18 --out "$out/$name" \
    >"$out/$name.txt" 2>&1 || rc=$?
  echo "$rc" >"$out/$name.rc"
  echo "gpu: campaign $name ended with $rc: $(sed -n 's/^## //p' "$out/$name.txt")"
  [ "$rc" -eq 0 ] || failed=2
}
plans=()
there=(--plan eager@cuda)
for fuser in pointwise tile loopnest; do
  plans+=(--plan "vm/o2,fuse($fuser,cuda)")
  there+=(--plan "vm@cuda/o2,fuse($fuser,cuda)")
done
campaign differential "${plans[@]}"
campaign ring "${plans[@]}" --oracle ring
campaign there "${there[@]}" --oracle differential --oracle ring
campaign groups "${plans[@]}" --policy groups --oracle differential --oracle ring

"$python" - "$out" <<'END'
import json, pathlib, sys
out = pathlib.Path(sys.argv[1])
told = json.loads((out / "device.json").read_text()) if (out / "device.json").exists() else {}
if (out / "peers.json").exists():
    told["pytorch"] = json.loads((out / "peers.json").read_text())
judged = (out / "conformance.txt").read_text().splitlines()
code = out / "conformance.code"
told["conformance"] = {
    "ok": sum(line.endswith(": ok") for line in judged),
    "skipped": sum(": skip" in line for line in judged),
    "exit_code": int(code.read_text()) if code.exists() else 0,
}
told["campaigns"] = {}
for code in sorted(out.glob("*.rc")):
    name = code.stem
    campaign = out / name / "campaign.json"
    said = json.loads(campaign.read_text()) if campaign.exists() else {}
    guards = said.get("reach", {}).get("guards", {})
    told["campaigns"][name] = {
        "exit_code": int(code.read_text()),
        "programs": said.get("programs"),
        "executions": said.get("executions"),
        "findings": [f["bucket"] for f in said.get("findings", [])],
        "launches": guards.get("kernel/cuda-launched", 0),
        "groups": guards.get("fuse/specialised", 0),
        "declined": guards.get("fuse/declined", 0),
        "operators_as_kernels": guards.get("device/kernel", 0),
        "products": guards.get("device/product", 0),
        "operators_on_cpu": {
            key.removeprefix("device/cpu-"): n
            for key, n in guards.items()
            if key.startswith("device/cpu-")
        },
    }
(out / "gpu.json").write_text(json.dumps(told, indent=2) + "\n")
END
echo "gpu: $out/gpu.json"
[ "$failed" -eq 0 ] || exit 2
