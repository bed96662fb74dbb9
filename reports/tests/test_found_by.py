"""found_by of campaign.json on the page; a campaign of a version without it has none there."""

import pytest
import samples
from fusillade_reports import model, page

ROW = {
    "by": "policy",
    "name": "<b>large</b>",
    "causes": 3,
    "cases": 9,
    "first_seen": 1.5,
    "causes_per_hour": 12.25,
    "per_hour": [2.5, 35.8],
}


def draw_page(tmp_path, **more):
    samples.write(tmp_path, campaign=samples.with_findings(2) | more)
    page.write(str(tmp_path))
    return (tmp_path / "report" / "index.html").read_text()


def test_what_found_the_causes_is_a_table(tmp_path):
    text = draw_page(tmp_path, found_by=[ROW])
    assert "What found the causes" in text and "12.2" in text and "2.5 to 35.8" in text
    assert "<b>large" not in text and "&lt;b&gt;large" in text


def test_a_campaign_that_does_not_say_has_no_table(tmp_path):
    assert "What found the causes" not in draw_page(tmp_path)


@pytest.mark.parametrize("wrong", [{"by": "moon"}, {"causes": 0}, {"more": 1}])
def test_a_broken_row_is_refused(wrong, tmp_path):
    samples.write(tmp_path, campaign=samples.with_findings(1) | {"found_by": [ROW | wrong]})
    with pytest.raises(model.Broken, match="found_by"):
        model.load_campaign(str(tmp_path))
