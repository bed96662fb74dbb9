// Namespaces: what a process with few rights has of its own, so that it cannot change the
// machine's.
#pragma once

#include <vector>

#include "fuzz/process/grounds.h"

namespace fusillade::fuzz {

// A process with one thread leaves these (CLONE_NEW*), for good. Who is not root does so in a
// namespace of users of his own, in which he stays who he is. False: the system does not allow it.
bool leave(int namespaces);

// In a namespace of mounts of its own: nothing but what is below these is changed any more, not
// even modes, times and attributes of files. The descriptors of the grounds then lead there. False:
// the system does not allow it; then it must end, for some of the grounds may be closed to it, too.
bool seal_mounts(const std::vector<const Grounds*>& grounds);

// Gives up the capabilities of administrators, for good; root still reads and writes all files that
// nothing else keeps it from.
void drop_capabilities();

}  // namespace fusillade::fuzz
