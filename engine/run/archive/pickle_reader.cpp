// The stack machine of protocol 2, on plain data; see pickle.h.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/run/archive/pickle.h"

namespace fusillade::archive {

using Kind = Pickled::Kind;

class Unpickler {
 public:
  Unpickler(Pickle& pickle, std::string_view bytes) : pickle_(pickle), bytes_(bytes) {}

  const Pickled* run() {
    need(2);
    if (bytes_[0] != '\x80' || bytes_[1] != 2) wrong("a pickle of protocol 2 is expected");
    at_ = 2;
    for (;;) {
      start_ = at_;
      need(1);
      char code = bytes_[at_++];
      if (code == '.') return finish();
      step(code);
    }
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    std::string code = start_ < bytes_.size()
                           ? fmt::format(", opcode 0x{:02x}", static_cast<uint8_t>(bytes_[start_]))
                           : "";
    fail("'{}': the pickle is wrong at byte {}{}: {}", pickle_.label_, start_, code, what);
  }

  // Input.
  void need(size_t count) const {
    if (count > bytes_.size() - at_) wrong("it ends too early");
  }
  uint64_t number(int count) {
    need(static_cast<size_t>(count));
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(bytes_[at_ + static_cast<size_t>(i)]);
    at_ += static_cast<size_t>(count);
    return value;
  }
  std::string text(uint64_t size) {
    if (size > bytes_.size() - at_) wrong("a string reaches beyond the end");
    std::string out(bytes_.substr(at_, size));
    at_ += size;
    return out;
  }
  std::string line() {
    size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos || end - at_ > 1024) wrong("a name has no end");
    std::string out(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }

  // Nodes and the stack.
  Pickled* make(Kind kind) {
    if (pickle_.nodes_.size() >= Pickle::kMaxNodes)
      wrong(fmt::format("more than {} values", Pickle::kMaxNodes));
    Pickled& node = pickle_.nodes_.emplace_back();
    node.kind = kind;
    node.offset = start_;
    return &node;
  }
  Pickled* push(Pickled* node) {
    check_room();
    stack_.push_back(node);
    return node;
  }
  void check_room() const {
    if (stack_.size() + marks_.size() >= Pickle::kMaxNodes) wrong("its stack grows too high");
  }
  Pickled* pop() {
    size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() <= floor) wrong("the stack is empty");
    Pickled* top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<Pickled*> pop_to_mark() {
    if (marks_.empty()) wrong("there is no mark");
    std::vector<Pickled*> out(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return out;
  }
  void hold(Pickled* in, Pickled* item) {
    if (in->used || in == item)
      wrong("a container that is held by another one, or by itself, is changed");
    item->used = true;
    in->items.push_back(item);
    in->depth = std::max<uint16_t>(in->depth, static_cast<uint16_t>(item->depth + 1));
    in->weight += item->weight;
    if (in->depth > Pickle::kMaxDepth)
      wrong(fmt::format("containers nest more than {} deep", Pickle::kMaxDepth));
    if (in->weight > Pickle::kMaxWeight)
      wrong(fmt::format("it unfolds to more than {} values", Pickle::kMaxWeight));
  }

  // Opcodes.
  void step(char code) {
    switch (code) {
      case 'N':
        push(make(Kind::None));
        return;
      case '\x88':
      case '\x89':
        push(make(Kind::Bool))->integer = code == '\x88';
        return;
      case 'K':
        return integer(static_cast<int64_t>(number(1)));
      case 'M':
        return integer(static_cast<int64_t>(number(2)));
      case 'J':
        return integer(static_cast<int32_t>(number(4)));
      case '\x8a':
        return long_integer();
      case 'G':
        return real();
      case 'X':
        return string();
      case 'c':
        return global();
      case '(':
        check_room();
        marks_.push_back(stack_.size());
        return;
      case 'q':
        return put(number(1));
      case 'r':
        return put(number(4));
      case 'h':
        return get(number(1));
      case 'j':
        return get(number(4));
      default:
        return container(code);
    }
  }

  void container(char code) {
    switch (code) {
      case opcode::kEmptyTuple:
        return tuple({});
      case opcode::kTuple:
        return tuple(pop_to_mark());
      case opcode::kTuple1:
      case opcode::kTuple2:
      case opcode::kTuple3:
        return short_tuple(code - opcode::kTuple1 + 1);
      case opcode::kEmptyList:
        push(make(Kind::List));
        return;
      case 'a':
        return append({pop()});
      case opcode::kAppends:
        return append(pop_to_mark());
      case opcode::kEmptyDict:
        push(make(Kind::Dict));
        return;
      case 's': {
        Pickled* value = pop();
        Pickled* key = pop();
        return set_items({key, value});
      }
      case opcode::kSetItems:
        return set_items(pop_to_mark());
      case opcode::kReduce:
        return call();
      case opcode::kNewObject:
        return new_object();
      case opcode::kBuild:
        return build();
      case opcode::kPersistent: {
        Pickled* id = pop();
        hold(push(make(Kind::Persistent)), id);
        return;
      }
      default:
        wrong("this opcode is not read; legal are those that TorchScript's archives use");
    }
  }

  void integer(int64_t value) { push(make(Kind::Int))->integer = value; }

  void long_integer() {
    uint64_t count = number(1);
    if (count > 8) wrong("an integer of more than 8 bytes");
    uint64_t value = number(static_cast<int>(count));
    int shift = 64 - 8 * static_cast<int>(count);
    integer(count == 0 ? 0 : static_cast<int64_t>(value << shift) >> shift);
  }

  void real() {
    need(8);
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<uint8_t>(bytes_[at_++]);
    push(make(Kind::Float))->real = std::bit_cast<double>(bits);
  }

  void string() {
    Pickled* node = push(make(Kind::Str));
    node->text = text(number(4));
    node->weight +=
        static_cast<uint32_t>(std::min<size_t>(node->text.size() / 16, Pickle::kMaxWeight));
    if (node->weight > Pickle::kMaxWeight) wrong("a string is too long");
  }

  void global() {
    Pickled* node = push(make(Kind::Global));
    node->text = line();
    node->text += " " + line();
  }

  void tuple(const std::vector<Pickled*>& items) {
    Pickled* node = make(Kind::Tuple);
    for (Pickled* item : items) hold(node, item);
    push(node);
  }

  void short_tuple(int count) {
    std::vector<Pickled*> items(static_cast<size_t>(count));
    for (size_t i = items.size(); i-- > 0;) items[i] = pop();
    tuple(items);
  }

  Pickled* top(Kind kind, std::string_view what) {
    Pickled* node = pop();
    push(node);
    if (!node->is(kind)) wrong(what);
    return node;
  }

  void append(const std::vector<Pickled*>& items) {
    Pickled* list = top(Kind::List, "items are appended to what is no list");
    for (Pickled* item : items) hold(list, item);
  }

  void set_items(const std::vector<Pickled*>& items) {
    Pickled* dict = top(Kind::Dict, "items are set in what is no dict");
    if (items.size() % 2) wrong("a key has no value");
    for (Pickled* item : items) hold(dict, item);
  }

  // PyTorch gives the value of an enum's member without a tuple around it.
  void call() {
    Pickled* args = pop();
    Pickled* callee = pop();
    if (!callee->is(Kind::Global)) wrong("what is called is no name");
    Pickled* node = make(Kind::Call);
    hold(node, callee);
    hold(node, args);
    push(node);
  }

  void new_object() {
    Pickled* args = pop();
    Pickled* cls = pop();
    if (!cls->is(Kind::Global) || !args->is(Kind::Tuple) || !args->items.empty())
      wrong("a class and no arguments are expected");
    Pickled* node = make(Kind::Object);
    hold(node, cls);
    push(node);
  }

  void build() {
    Pickled* state = pop();
    Pickled* object = top(Kind::Object, "a state is given to what is no object");
    if (object->items.size() != 1) wrong("an object is given a second state");
    hold(object, state);
  }

  void put(uint64_t memo) {
    Pickled* node = pop();
    push(node);
    memo_[static_cast<uint32_t>(memo)] = node;
  }

  void get(uint64_t memo) {
    auto it = memo_.find(static_cast<uint32_t>(memo));
    if (it == memo_.end()) wrong(fmt::format("nothing was remembered as {}", memo));
    push(it->second);
  }

  const Pickled* finish() {
    if (!marks_.empty() || stack_.size() != 1) wrong("one value is expected at the end");
    if (at_ != bytes_.size()) wrong("bytes follow the end");
    return stack_[0];
  }

  Pickle& pickle_;
  std::string_view bytes_;
  size_t at_ = 0;
  size_t start_ = 0;
  std::vector<Pickled*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, Pickled*> memo_;
};

Pickle::Pickle(std::string_view bytes, std::string label) : label_(std::move(label)) {
  root_ = Unpickler(*this, bytes).run();
}

void Pickle::wrong(const Pickled& at, std::string_view what) const {
  fail("'{}': the pickle is wrong at byte {}: {}", label_, at.offset, what);
}

}  // namespace fusillade::archive
