# bash completion of fusillade, written by docs/reference/generate.py: do not edit
_fusillade() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
  local verb=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [ "$cur" = "=" ]; then cur=; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "bench bisect check compare completion corpus cost freeze fuzz gen gpu help history list merge opt planted prune recheck reduce releases report repro rules run save selftest show truth ulps upstream --help --version" -- "$cur"))
    return
  fi
  case "$verb $prev" in
    "bench --size") words="small medium large" ;;
    "compare --gate") words="steady compile times instructions memory none" ;;
    "compare --size") words="small medium large" ;;
    "fuzz --mode") words="pr nightly regress" ;;
    "gen --format") words="case ir script python none" ;;
    "history --db"|"history --commit"|"history --machine"|"history --program"|"history --plan"|"history --metric") return ;;
    "list --engine"|"list --engine-python") return ;;
    "releases --part") words="causes speed both" ;;
    "releases --gate") words="all causes times none" ;;
    "releases --size") words="small medium large" ;;
    "run --leaves") words="all parameters" ;;
    *" --policy") words=$("${COMP_WORDS[0]}" list policies 2>/dev/null | cut -d' ' -f1) ;;
    *" --oracle") words=$("${COMP_WORDS[0]}" list oracles 2>/dev/null | cut -d' ' -f1) ;;
    *) case "$cur" in
    -*) case "$verb" in
    bench) words="-h --help --out --plan --engine --engine-python --no-sandbox --trust-text --filter --size --programs --processes --iterations --typed --alone --instructions --timeout --no-check --seed" ;;
    bisect) words="-h --help --budget --timeout --rss-limit-mb --plan --against --engine --engine-python --no-sandbox --trust-text" ;;
    check) words="-h --help --fn --module --method --state --eval --in --rand --arg --seed --inputs --out --plan --oracle --max-findings -j --jobs --timeout --rss-limit-mb --known --engine --engine-python --no-sandbox --trust-text --resume" ;;
    compare) words="-h --help --machines --out --gate --threshold --history --alpha --allow-missing --commits --bisect --instructions --processes --iterations --builds --programs --filter --plan --size" ;;
    completion) words="-h --help" ;;
    corpus) words="-h --help --timeout --rss-limit-mb --engine --engine-python --no-sandbox --trust-text" ;;
    cost) words="-h --help" ;;
    freeze) words="-h --help --out --preserve --eval --timeout --rss-limit-mb" ;;
    fuzz) words="-h --help --out --mode --seed --shard --runs --max-total-time --max-findings -j --jobs --plan --oracle --against --builds --policy --yield --seeds --corpus --calls --timeout --rss-limit-mb --min-yield --known --engine --engine-python --no-sandbox --trust-text --resume" ;;
    gen) words="-h --help --seed --index --runs --calls --max-nodes --policy --format --plan --engine --engine-python --no-sandbox --trust-text" ;;
    gpu) words="-h --help --out --programs --megabytes --rounds" ;;
    help) words="-h --help" ;;
    history) words="-h --help --db --commit --machine --program --plan --metric --all" ;;
    list) words="-h --help --engine --engine-python --no-sandbox --trust-text --json" ;;
    merge) words="-h --help --known --min-yield" ;;
    opt) words="-h --help --pipeline --fn --module --method --state --eval --fuel --stats --log --verify --bytecode --typed --graph-for --kernels --transform --in --rand --arg --seed --timeout --rss-limit-mb" ;;
    planted) words="-h --help --json --filter --seconds --count --seed --out --source" ;;
    prune) words="-h --help --dry-run --closed-for --joined --known --engine --engine-python --no-sandbox --trust-text" ;;
    recheck) words="-h --help --max-total-time --times -j --jobs --known --min-yield --timeout --rss-limit-mb --against --engine --engine-python --no-sandbox --trust-text" ;;
    reduce) words="-h --help --out --budget --timeout --rss-limit-mb --plan --against --engine --engine-python --no-sandbox --trust-text" ;;
    releases) words="-h --help --old --new --out --plan --part --gate --max-total-time --runs --seed -j --jobs --policy --min-yield --timeout --tries --resume --filter --size --programs --processes --iterations --threshold --engine --engine-python --no-sandbox --trust-text" ;;
    report) words="-h --help --history --commit-url --export --to" ;;
    repro) words="-h --help --times --script --timeout --rss-limit-mb --plan --against --engine --engine-python --no-sandbox --trust-text" ;;
    rules) words="-h --help --seed --pairs --json" ;;
    run) words="-h --help --plan --fn --module --method --state --eval --in --rand --arg --seed --timeout --rss-limit-mb --engine --engine-python --no-sandbox --trust-text --typed --grad --leaves --cost --expect --out" ;;
    save) words="-h --help --fn --module --method --state --eval --in --rand --arg --seed --out --timeout --rss-limit-mb" ;;
    selftest) words="-h --help --seed --index --runs -j --jobs --ulps --policy --out --rss-limit-mb" ;;
    show) words="-h --help" ;;
    truth) words="-h --help --history --trials" ;;
    ulps) words="-h --help --every --doubles" ;;
    upstream) words="-h --help --timeout --rss-limit-mb --engine --engine-python --no-sandbox --trust-text" ;;
    esac ;;
    *) case "$verb" in
    completion) words="bash zsh fish" ;;
    help) words="bench bisect check compare completion corpus cost freeze fuzz gen gpu help history list merge opt planted prune recheck reduce releases report repro rules run save selftest show truth ulps upstream" ;;
    history) words="add show" ;;
    list) words="ops passes fusers transforms backends oracles engines rules options deviations policies productions patterns onnx" ;;
    esac ;;
    esac ;;
  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -o bashdefault -o default -F _fusillade fusillade
