"""One plain HTML page: the campaign's verdict and findings, then the benchmarks."""

import os

import jinja2

from . import figures, model

TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Fusillade report</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; } td, th { padding: .2em .8em; border-bottom: 1px solid #ddd; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } img { max-width: 100%; }
.bad { color: #b00020; font-weight: bold; } .good { color: #00603a; font-weight: bold; }
</style></head><body>
<h1>Fusillade report</h1>
{% if campaign %}
<p class="{{ 'bad' if campaign.findings else 'good' }}">{{ campaign.findings | length }} finding(s)
in {{ campaign.programs }} programs.</p>
<p>{{ '%.1f' % campaign.seconds }} s on {{ campaign.jobs }} job(s), seed {{ campaign.seed }};
{{ '%.0f' % campaign.rate }} programs/s per job; {{ campaign.executions }} executions;
{{ '%.2f' % (100 * campaign.tight_share) }} % of the compared elements tightly,
{{ '%.2f' % (100 * campaign.untrusted_share) }} % of all elements cannot be told.</p>
<img src="campaign.png" alt="Rate, verdicts and findings over time">
{% if campaign.findings %}<h2>Findings</h2>
<table><tr><th>bucket</th><th>verdict</th><th>oracle</th><th>blame</th><th>nodes</th><th>seen</th></tr>
{% for f in campaign.findings %}<tr><td><a href="../{{ f.case }}">{{ f.bucket }}</a></td><td>{{ f.verdict }}</td>
<td>{{ f.oracle }}</td><td>{{ f.blame }}</td><td class="n">{{ f.nodes }}</td><td class="n">{{ f.count }}</td></tr>
{% endfor %}</table>{% endif %}
<h2>Judgements</h2><table>
{% for name, count in judgements %}<tr><td>{{ name }}</td><td class="n">{{ count }}</td></tr>
{% endfor %}</table>
{% endif %}
{% if timings %}<h2>Benchmarks</h2>
<img src="speedup.png" alt="Speed-up with 95 % intervals">
<img src="compile.png" alt="Compile time against run time">
<table><tr><th>program</th><th>plan</th><th>call, us</th><th>95 % interval</th><th>compile, ms</th>
<th>first call, us</th><th>warm-up</th><th>outputs</th></tr>
{% for t in timings %}<tr><td>{{ t.program }}</td><td>{{ t.plan }}</td>
<td class="n">{{ '%.2f' % (t.steady.estimate / 1e3) }}</td>
<td>{{ '%.2f' % (t.steady.lower / 1e3) }} to {{ '%.2f' % (t.steady.upper / 1e3) }}</td>
<td class="n">{{ '%.2f' % (t.compile.estimate / 1e6) }}</td>
<td class="n">{{ '%.1f' % (t.first_call.estimate / 1e3) }}</td>
<td>{{ t.warmup | unique | join(', ') }}</td>
<td class="{{ 'good' if t.verdict == 'ok' else 'bad' }}">{{ t.verdict }}</td></tr>
{% endfor %}</table>{% endif %}
</body></html>
"""


def write(folder):
    """Writes folder/report/index.html; needs a campaign.json, a bench.json, or both."""
    has_campaign = os.path.exists(os.path.join(folder, "campaign.json"))
    bench_path = os.path.join(folder, "bench.json")
    if not has_campaign and not os.path.exists(bench_path):
        raise model.Broken(f"{folder} holds neither campaign.json nor bench.json")
    out = os.path.join(folder, "report")
    os.makedirs(out, exist_ok=True)
    campaign = model.load_campaign(folder) if has_campaign else None
    timings = model.load_bench(bench_path) if os.path.exists(bench_path) else []
    judgements = []
    if campaign:
        figures.campaign(campaign, os.path.join(out, "campaign.png"))
        judgements = sorted((campaign.verdicts | campaign.skips).items(), key=lambda kv: -kv[1])
    if timings:
        figures.speedup(timings, os.path.join(out, "speedup.png"))
        figures.compile_against_run(timings, os.path.join(out, "compile.png"))
    environment = jinja2.Environment(autoescape=True)
    html = environment.from_string(TEMPLATE).render(
        campaign=campaign, timings=timings, judgements=[j for j in judgements if j[1]]
    )
    temporary = os.path.join(out, "index.html.part")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(html)
    os.replace(temporary, os.path.join(out, "index.html"))
