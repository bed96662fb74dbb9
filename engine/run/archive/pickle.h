// Pickles as TorchScript's archives hold them: protocol 2, read into a tree of plain data, written
// opcode by opcode.
//
// Reading executes nothing. A GLOBAL is a name, a REDUCE a node that records callee and arguments,
// NEWOBJ and BUILD an object's class and state; what a name means is decided by who walks the tree,
// from a closed list. The opcodes are those PyTorch writes and their short forms; any other is an
// Error that names its offset.
//
// Bounds: nodes, depth, and weight (nodes and text when shared parts are counted once per use, what
// a walk over the tree costs) are limited. A container that another one holds cannot be changed any
// more, so the tree has no cycles.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fusillade::archive {

struct Pickled {
  enum class Kind : uint8_t {
    None,
    Bool,  // integer
    Int,
    Float,
    Str,
    Tuple,
    List,
    Dict,        // items: key, value, key, value, ...
    Global,      // text: "torch FloatStorage"
    Call,        // items: the Global called, its arguments (a Tuple) or argument
    Object,      // items: the Global it is of, then its state once built
    Persistent,  // items: the id
  };
  Kind kind = Kind::None;
  bool used = false;  // already an item of another node
  uint16_t depth = 1;
  uint32_t weight = 1;
  size_t offset = 0;  // of the opcode that created it
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<const Pickled*> items;
  bool is(Kind k) const { return kind == k; }
};

class Pickle {
 public:
  static constexpr size_t kMaxNodes = 2u << 20;
  static constexpr uint32_t kMaxWeight = 16u << 20;
  static constexpr uint16_t kMaxDepth = 200;

  // Throws Error: `label`, the offset, the opcode, what is wrong.
  Pickle(std::string_view bytes, std::string label);
  const Pickled& root() const { return *root_; }
  // Throws Error at a node.
  [[noreturn]] void wrong(const Pickled& at, std::string_view what) const;

 private:
  friend class Unpickler;
  std::string label_;
  std::deque<Pickled> nodes_;
  const Pickled* root_ = nullptr;
};

// Writes opcodes; strings and globals are written once and referred to afterwards.
class PickleWriter {
 public:
  PickleWriter();  // the protocol's mark
  void none() { op('N'); }
  void boolean(bool value) { op(value ? '\x88' : '\x89'); }
  void integer(int64_t value);
  void real(double value);
  void str(const std::string& value);
  void global(const std::string& module, const std::string& name);
  void op(char code) { out_ += code; }
  // Remembers the top of the stack; returns what get() takes.
  uint32_t put();
  void get(uint32_t memo);
  std::string finish();  // with the final mark

 private:
  void bytes(uint64_t value, int count);
  std::string out_;
  uint32_t next_ = 0;
  std::map<std::string, uint32_t> strings_;
  std::map<std::string, uint32_t> globals_;
};

// Opcodes that a writer of containers and calls uses.
namespace opcode {
inline constexpr char kMark = '(';
inline constexpr char kTuple = 't';
inline constexpr char kTuple1 = '\x85';
inline constexpr char kTuple2 = '\x86';
inline constexpr char kTuple3 = '\x87';
inline constexpr char kEmptyTuple = ')';
inline constexpr char kEmptyList = ']';
inline constexpr char kAppends = 'e';
inline constexpr char kEmptyDict = '}';
inline constexpr char kSetItems = 'u';
inline constexpr char kReduce = 'R';
inline constexpr char kNewObject = '\x81';
inline constexpr char kBuild = 'b';
inline constexpr char kPersistent = 'Q';
}  // namespace opcode

}  // namespace fusillade::archive
