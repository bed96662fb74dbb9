# Fusillade in a container, of the wheel that ci/package.sh puts in dist/:
#   ci/package.sh && docker build -t fusillade . &&
#     docker run --rm -v "$PWD:/opt/fusillade/work" fusillade list engines
# ci/try_package.py runs these same steps on a bare Debian and then tries each verb, offline. It
# reads FROM, ENV, RUN, COPY, USER, WORKDIR and ENTRYPOINT.
FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv && \
  rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --home-dir /opt/fusillade fusillade
COPY dist/fusillade-*.whl /tmp/
USER fusillade
WORKDIR /opt/fusillade
RUN mkdir work && python3 -m venv .venv && \
  .venv/bin/pip install --quiet --no-cache-dir /tmp/fusillade-*.whl
ENV PATH=/opt/fusillade/.venv/bin:/usr/local/bin:/usr/bin:/bin
WORKDIR /opt/fusillade/work
ENTRYPOINT ["fusillade"]
