#!/bin/bash -eu
# The build script is in the repository, with the sources.
exec "$SRC/fusillade/ci/recipes/clusterfuzzlite/build.sh" "$@"
