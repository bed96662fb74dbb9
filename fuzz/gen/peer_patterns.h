// Patterns that other compilers rewrite, as facts: what each looks for, written in the language of
// our own rules (passes/rule.h). Each is a row, registered in a file per compiler (peer_*.cpp):
//
//   {"bias-gelu", "openvino", "gelu(add(x, b))", "x:*C b:C"}
//
// Names of operators lack "aten::". Beyond rules, a pattern may have
//
//   c = sub(x, mean(x, [-1], True)); mul(c, c)     a name for a part, which is computed once
//   [0, 2, 1], [B, -1]                             a list of ints; a capital letter is a size
//   cat([x, y], 1)                                 a list of tensors
//   piece(chunk(x, 2, -1), 0)                      one of several results
//   'tanh', f16, inf                               a string, a dtype, infinity
//
// Operands say what a variable is; those that are not named have the sizes of the program:
//
//   x:BCHW     sizes: a letter or a digit each; E is even, F its half
//   x:*C       some dims before them;  x:* and "x": the sizes of the program
//   m:ST/bool  of a dtype;  i:N/below:V  indices below the size V;  s/num  a number
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/gen/near_miss.h"

namespace fusillade::fuzz {

class Choices;
struct GraphState;

struct PeerRow {
  const char* name;
  const char* also;  // further compilers that have it: "ort openvino"
  const char* text;
  const char* operands = "";
};

struct PeerOperand {
  std::string name;
  std::string sizes = "*";  // a char per dim, after "*"
  std::string kind;         // "bool", "num", "below:V"
};

struct PeerPattern {
  std::string name;                    // "ort/bias-gelu"
  std::vector<std::string> compilers;  // "ort", "openvino"
  std::string text, operands;
};

// Rows of one compiler.
bool add_peer_patterns(const char* compiler, std::initializer_list<PeerRow> rows);
const std::vector<const PeerPattern*>& peer_patterns();

// Names of ops in patterns that are none.
inline constexpr const char *kPiece = "piece", *kList = "[]";

// How a pattern was written: with which condition broken.
enum class Broken : uint8_t {
  None,
  Constant,   // and below: near misses (near_miss.h)
  Argument,   //
  Value,      //
  Op,         //
  DType,      // an operand has another dtype
  Broadcast,  // an operand has other sizes, which broadcast
  Write,      // memory is written before the result is read
  Reuse       // a value within is used twice
};
inline constexpr int kBrokens = 9;
const char* name_of(Broken broken);

// A pattern, parsed.
struct PeerTree {
  const PeerPattern* row = nullptr;
  Pattern whole;
  std::vector<PeerOperand> operands;                            // of all its variables
  std::vector<std::pair<Broken, std::vector<Pattern>>> misses;  // by kind; none is empty
  std::vector<std::string> ops;                                 // base names, each once
  bool checks_late = false;  // an op checks its arguments when it runs: it stays as it is
};
const std::vector<PeerTree>& peer_trees();
// Those that a compiler has ("inductor"); empty: none are known.
const std::vector<const PeerTree*>& peer_trees_of(const std::string& compiler);
const PeerTree& peer_tree(const std::string& name);  // throws Error

// Appends the pattern; null, and nothing is left of it, where an operator does not take what was
// drawn, or may not be drawn. The result and what it is made of may join what is in scope.
Value* draw_peer_pattern(GraphState& g, const PeerTree& tree, Broken broken);

// A program of one pattern, and nothing beside; null where none was made.
std::unique_ptr<Graph> program_of_peer(Choices& choices, const PeerTree& tree, Broken broken);

}  // namespace fusillade::fuzz
