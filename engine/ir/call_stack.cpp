// See call_stack.h.
#include "engine/ir/call_stack.h"

#include <map>

#include "engine/ir/visit.h"

namespace fusillade {
namespace {

using SourcePtr = std::shared_ptr<const Source>;

// The owner of a source as seen from an inlined body.
struct CallSite {
  SourcePtr source;
  SourceRange call;
  std::string callee;
  void operator()(const Source*) const {}
};

std::string name_of(const Node* call) {
  const Attribute* name = call->attr("name");
  return name ? std::get<IValue>(*name).as_str() : call->op().name;
}

class Marker {
 public:
  explicit Marker(const Node* call) : call_(call) {}

  void mark(Node* node) {
    mark_one(node);
    for (Block* block : node->blocks()) each_node(block, [&](Node* inner) { mark_one(inner); });
  }

 private:
  void mark_one(Node* node) {
    if (node->range.valid()) node->range.source = mark_source(node->range.source);
  }

  SourcePtr mark_source(const SourcePtr& source) {
    SourcePtr& out = marked_[source.get()];
    if (!out) out = SourcePtr(source.get(), CallSite{source, call_->range, name_of(call_)});
    return out;
  }

  const Node* call_;
  std::map<const Source*, SourcePtr> marked_;
};

std::string call_text(const SourceRange& call, const std::string& callee) {
  return "\n" + call.highlight(fmt::format("{}: '{}' was called here", call.where(), callee));
}

}  // namespace

void set_caller(const std::vector<Node*>& inlined, const Node* call) {
  if (!call->range.valid()) return;
  Marker marker(call);
  for (Node* node : inlined) marker.mark(node);
}

std::string callers_of(const SourceRange& range) {
  std::string out;
  for (const CallSite* site = std::get_deleter<CallSite>(range.source); site;
       site = std::get_deleter<CallSite>(site->call.source))
    out += call_text(site->call, site->callee);
  return out;
}

std::string called_here(const Node* call) {
  if (!call->range.valid()) return "";
  return call_text(call->range, name_of(call)) + callers_of(call->range);
}

}  // namespace fusillade
