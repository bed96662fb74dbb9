// See made.h.
#include "engine/fuse/made.h"

namespace fusillade::fuse {
namespace {

thread_local MadeLog* t_log = nullptr;

}  // namespace

MadeLog::MadeLog() : saved_(t_log) { t_log = this; }
MadeLog::~MadeLog() { t_log = saved_; }
MadeLog* MadeLog::current() { return t_log; }

}  // namespace fusillade::fuse
