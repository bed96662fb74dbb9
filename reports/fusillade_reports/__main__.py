"""python3 -m fusillade_reports campaign DIR   draws DIR/campaign.png
python3 -m fusillade_reports page DIR       writes DIR/report/index.html with its pictures
"""

import sys

from . import figures, model, page


def main(argv):
    if len(argv) != 3 or argv[1] not in ("campaign", "page"):
        print(__doc__, file=sys.stderr)
        return 1
    try:
        if argv[1] == "campaign":
            figures.campaign(model.load_campaign(argv[2]), f"{argv[2]}/campaign.png")
        else:
            page.write(argv[2])
    except model.Broken as error:
        print(f"fusillade_reports: error: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv))
