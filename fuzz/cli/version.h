// Which build this is: what `fusillade --version` prints. cmake/version.cmake writes the text into
// the build folder.
#pragma once

namespace fusillade::cli {

// "fusillade 1.2.3", and lines for the commit and for the build.
extern const char* const kVersionText;

}  // namespace fusillade::cli
