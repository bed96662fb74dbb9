// See pass_times.h.
#include "engine/passes/pass_times.h"

namespace fusillade {
namespace {

thread_local int asking = 0;

}  // namespace

PassTimes::PassTimes() { ++asking; }
PassTimes::~PassTimes() { --asking; }
bool PassTimes::is_asked() { return asking > 0; }

}  // namespace fusillade
