"""Reports of Fusillade: reads campaign.json and bench.json, draws pictures and one HTML page."""
