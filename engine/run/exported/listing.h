// A program as lines of text, one for each node: what errors of a run show.
#pragma once

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/ir/graph.h"

namespace fusillade::exported {

// "conv2d = torch.ops.aten.conv2d.default(x, p_c_weight, None, [1, 1])"
std::string line_of(const JsonDocument& doc, const Json& node);
// "node 12 'conv2d'", of a node in the text.
std::string name_of_node(const JsonDocument& doc, const Json& node, size_t number);

// Lines grow while nodes are made; afterwards each node is told its line.
class Listing {
 public:
  explicit Listing(std::string file) : file_(std::move(file)) {}
  void add_line(const std::string& line);
  void place(Node* node) { placed_.push_back({node, begin_, begin_ + length_}); }
  void finish();  // all nodes get their places
  size_t lines() const { return lines_; }

 private:
  struct Place {
    Node* node;
    size_t begin, end;
  };
  std::string file_, text_;
  std::vector<Place> placed_;
  size_t begin_ = 0, length_ = 0, lines_ = 0;
};

}  // namespace fusillade::exported
