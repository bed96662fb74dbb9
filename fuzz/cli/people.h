// What this process writes to stdout and stderr is read by people, and much of it is text of
// strangers: names in archives, messages of scripts, paths, what a program prints.
#pragma once

namespace fusillade::cli {

// From now on stdout and stderr spell out what would act on a terminal (engine/base/visible.h),
// whoever writes to them; forks of this process inherit that.
void write_for_people();

}  // namespace fusillade::cli
