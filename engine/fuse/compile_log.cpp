// See compile_log.h.
#include "engine/fuse/compile_log.h"

namespace fusillade::fuse {
namespace {

thread_local CompileLog* t_log = nullptr;

}  // namespace

CompileLog::CompileLog() : saved_(t_log) { t_log = this; }
CompileLog::~CompileLog() { t_log = saved_; }
CompileLog* CompileLog::current() { return t_log; }

}  // namespace fusillade::fuse
