#!/bin/bash -eu
# The build lies with the sources that it builds.
exec "$SRC/fusillade/ci/recipes/clusterfuzzlite/build.sh" "$@"
