"""python3 -m fusillade_reports campaign DIR          draws DIR/campaign.png
python3 -m fusillade_reports page DIR              writes DIR/report/: index.html, summary.md, junit.xml and the like
python3 -m fusillade_reports export DIR FORMAT OUT writes DIR/bench.json to the file OUT in another tool's format
"""

import sys


def export(folder, name, out):
    from . import exports, files, model
    if name not in exports.FORMATS:
        raise model.Broken(f"'{name}' is not a format; legal: {', '.join(exports.FORMATS)}")
    files.write(out, exports.FORMATS[name](model.load_bench(f"{folder}/bench.json")))


def run(verb, folder, *more):
    from . import figures, model, page
    if verb == "campaign":
        figures.campaign_picture(model.load_campaign(folder), f"{folder}/campaign.png")
    elif verb == "page":
        page.write(folder)
    else:
        export(folder, *more)


def main(argv):
    if (len(argv), argv[1:2]) not in ((3, ["campaign"]), (3, ["page"]), (5, ["export"])):
        print(__doc__, file=sys.stderr)
        return 1
    from . import model
    try:
        run(*argv[1:])
    except (model.Broken, OSError) as error:
        print(f"fusillade_reports: error: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv))
