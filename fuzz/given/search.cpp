// See search.h. A child says what it found as JSON.
#include "fuzz/given/search.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <queue>
#include <set>

#include "fuzz/case/input_range.h"
#include "fuzz/given/operators_run.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr uint64_t kMostGuesses = 4000;
constexpr double kMostSeconds = 10;
constexpr size_t kEnough = 24;  // found
constexpr uint64_t kDraws = 6;
constexpr size_t kBatch = 96;  // guesses derived from one before others are looked at
constexpr int64_t kMostElements = int64_t{1} << 19;
constexpr int64_t kMostNumber = 100'000;  // of a message, that may be a size
constexpr int kMostRank = 5;
constexpr uint64_t kUnknown = uint64_t{1} << 32;
constexpr uint64_t kSearchStream = 0x67697665'6e736561;
constexpr uint64_t kOtherTypes = 8;  // draws of what is no tensor

// One tensor of the inputs, or the tensors of a list.
struct Slot {
  size_t input = 0;
  bool list = false;
  bool fixed_dtype = false, fixed_rank = false;
  DType dtype = DType::F32;
  Dims sizes;
  std::vector<bool> declared;  // by dimension: declared, so not guessed
  int64_t low = 0, high = -1;  // of integers; low > high: any

  bool has_range() const { return low <= high && !is_float(dtype) && dtype != DType::Bool; }
  std::string text() const {
    return fmt::format("{}{}{}:{}..{}", input, name_of(dtype), to_string(sizes), low,
                       has_range() ? high : -1);
  }
};

struct Guess {
  std::vector<Slot> slots;
  uint64_t others = 0;  // which draw gives the types of all other inputs

  std::string text() const {
    std::string out = fmt::format("{}", others);
    for (const Slot& s : slots) out += "|" + s.text();
    return out;
  }
  int64_t elements() const {
    int64_t n = 0;
    for (const Slot& s : slots) n += numel_of(s.sizes);
    return n;
  }
};

struct Tried {
  bool accepted = false;
  uint64_t operators = 0, distance = kUnknown;
  std::set<std::string> past_errors;  // the errors on the way to it: of conditions that were met
  std::string message;
};

std::vector<int64_t> numbers_in(const std::string& text) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto digit = [&](size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    if (!digit(i)) {
      ++i;
      continue;
    }
    int64_t n = 0;
    for (; digit(i); ++i) n = std::min(n * 10 + (text[i] - '0'), kMostNumber + 1);
    if (n <= kMostNumber && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
  }
  return out;
}

// The distance between the sizes of a message: "(2x256 and 400x10)", "(7) must match ... (5)",
// "shape '[2, 400]' is invalid for input of size 512".
uint64_t distance_in(const std::string& m) {
  unsigned long long a = 0, b = 0, c = 0, d = 0;
  auto gap = [](uint64_t x, uint64_t y) { return x > y ? x - y : y - x; };
  if (size_t at = m.find('(');
      at != std::string::npos &&
      std::sscanf(m.c_str() + at, "(%llux%llu and %llux%llu)", &a, &b, &c, &d) == 4)
    return gap(b, c);
  if (size_t at = m.find(" columns meet "); at != std::string::npos) {
    const size_t from = m.find_last_not_of("0123456789", at - 1) + 1;
    if (std::sscanf(m.c_str() + from, "%llu columns meet %llu", &a, &b) == 2) return gap(a, b);
  }
  const size_t first = m.find("size of tensor a (");
  const size_t second = m.find("size of tensor b (");
  if (first != std::string::npos && second != std::string::npos &&
      std::sscanf(m.c_str() + first, "size of tensor a (%llu", &a) == 1 &&
      std::sscanf(m.c_str() + second, "size of tensor b (%llu", &b) == 1)
    return gap(a, b);
  return kUnknown;
}

// What a message asks for: dtypes by name, ranks in words or digits, sizes in brackets.
struct Asked {
  std::vector<DType> dtypes;
  std::vector<int> ranks;
  std::vector<Dims> sizes;
};

void add_ranks(const std::string& m, std::vector<int>& ranks) {
  static const std::pair<const char*, int> kWords[] = {
      {"scalar", 0}, {"vector", 1}, {"matrix", 2}, {"matrices", 2}, {"batch", 3}};
  for (const auto& [word, rank] : kWords)
    if (m.find(word) != std::string::npos) ranks.push_back(rank);
  for (size_t i = 0; i < m.size(); ++i) {
    if (m[i] < '0' || m[i] > '5' || (i > 0 && std::isalnum(static_cast<unsigned char>(m[i - 1]))))
      continue;
    const std::string_view after = std::string_view(m).substr(i + 1);
    for (const char* unit : {"D", "-D", "d ", "-d", " dim", " or "})
      if (after.starts_with(unit)) ranks.push_back(m[i] - '0');
  }
}

Asked asked_in(const std::string& m) {
  Asked out;
  std::string word;
  for (size_t i = 0; i <= m.size(); ++i) {
    if (i < m.size() && std::isalnum(static_cast<unsigned char>(m[i]))) {
      word += m[i];
      continue;
    }
    for (int k = 0; k < kNumDTypes; ++k)
      if (word == name_of(static_cast<DType>(k))) out.dtypes.push_back(static_cast<DType>(k));
    if (word == "integer" || word == "integers" || word == "indices" || word == "integral")
      out.dtypes.push_back(DType::I64);
    if (word == "floating" || word == "float" || word == "floats") out.dtypes.push_back(DType::F32);
    word.clear();
  }
  add_ranks(m, out.ranks);
  for (size_t at = m.find('['); at != std::string::npos; at = m.find('[', at + 1)) {
    const size_t end = m.find(']', at);
    if (end == std::string::npos) break;
    Dims sizes;
    const std::string inside = m.substr(at + 1, end - at - 1);
    bool plain = inside.find_first_not_of("0123456789, ") == std::string::npos;
    for (size_t i = 0; plain && i < inside.size();) {
      if (!std::isdigit(static_cast<unsigned char>(inside[i]))) {
        ++i;
        continue;
      }
      int64_t n = 0;
      for (; i < inside.size() && std::isdigit(static_cast<unsigned char>(inside[i])); ++i)
        n = std::min(n * 10 + (inside[i] - '0'), kMostNumber + 1);
      plain = n <= kMostNumber && sizes.rank() < kMostRank;
      if (plain) sizes.push_back(n);
    }
    if (plain && sizes.rank() > 0) out.sizes.push_back(sizes);
  }
  return out;
}

class Search {
 public:
  explicit Search(const Given& given)
      : given_(given), eager_(given.program, reference_plan()), start_(Clock::now()) {
    std::set<int64_t> sizes;
    for (const GivenInput& in : given.inputs) {
      const Type& type = in.fixed ? in.fixed->type() : in.type;
      if (!type.is_tensor() || !type.info().rank_known || !(in.fixed || in.laid_out)) continue;
      for (int64_t size : type.info().sizes) sizes.insert(size);
    }
    weights_.assign(sizes.begin(), sizes.end());
  }

  json run(const std::vector<InputTypes>& examples) {
    for (const InputTypes& types : examples) push(of_types(types));
    if (examples.empty())
      for (const Guess& g : first_guesses()) push(g);
    while (waiting() && found_.empty() && !is_exhausted()) expand(next_queue());
    for (size_t i = 0; i < found_.size() && found_.size() < kEnough && !is_exhausted(); ++i)
      vary(Guess(found_[i]));
    json out = {{"tried", tried_}, {"furthest", found_.empty() ? furthest_.message : ""}};
    out["found"] = json::array();
    for (const Guess& g : found_) out["found"].push_back(as_json(g));
    return out;
  }

  // What a guess says of the inputs' types.
  static InputTypes types_of(const Given& given, const Guess& guess) {
    InputTypes out = input_types(given, guess.others);
    for (const Slot& s : guess.slots) {
      TensorInfo info = Type::tensor(s.dtype, s.sizes).info();
      info.device = Device();
      info.requires_grad = false;
      const Type tensor = Type::tensor(info);
      if (!has_free_range(given.inputs[s.input]))
        out[s.input].second = s.list ? Type::list(tensor) : tensor;
      if (s.has_range() && !s.list)
        out[s.input].first = fmt::format("from_{}_to_{}_n{}", -s.low, s.high, s.input);
    }
    return out;
  }

  static json as_json(const Guess& g) {
    json slots = json::array();
    for (const Slot& s : g.slots)
      slots.push_back({s.input, s.list, static_cast<int>(s.dtype),
                       std::vector<int64_t>(s.sizes.begin(), s.sizes.end()), s.low, s.high});
    return {g.others, slots};
  }

  static Guess of_json(const json& j) {
    Guess g;
    g.others = j.at(0);
    for (const json& of : j.at(1)) {
      Slot s;
      s.input = of.at(0);
      s.list = of.at(1);
      s.dtype = static_cast<DType>(of.at(2).get<int>());
      for (int64_t size : of.at(3)) s.sizes.push_back(size);
      s.low = of.at(4);
      s.high = of.at(5);
      g.slots.push_back(s);
    }
    return g;
  }

 private:
  struct Candidate {
    Guess guess;
    Tried tried;
    uint64_t order = 0;
    size_t next = 0;                            // the first guess derived from it that is untried
    bool operator<(const Candidate& o) const {  // worse
      if (tried.operators != o.tried.operators) return tried.operators < o.tried.operators;
      if (tried.past_errors.size() != o.tried.past_errors.size())
        return tried.past_errors.size() < o.tried.past_errors.size();
      if (tried.distance != o.tried.distance) return tried.distance > o.tried.distance;
      return order > o.order;
    }
  };

  using Queue = std::priority_queue<Candidate>;

  bool is_exhausted() const {
    return tried_ >= kMostGuesses ||
           std::chrono::duration<double>(Clock::now() - start_).count() > kMostSeconds;
  }

  std::vector<Slot> slots() const {
    std::vector<Slot> out;
    for (size_t i = 0; i < given_.inputs.size(); ++i) {
      const GivenInput& in = given_.inputs[i];
      const bool list = in.type.is(TypeKind::List) && in.type.element().is_tensor();
      if (in.fixed || in.view_of >= 0 || (!in.type.is_tensor() && !list)) continue;
      const TensorInfo& known = (list ? in.type.element() : in.type).info();
      if (known.complete() && !has_free_range(in)) continue;
      Slot s;
      s.input = i;
      s.list = list;
      if ((s.fixed_dtype = known.has_dtype)) s.dtype = known.dtype;
      if ((s.fixed_rank = known.rank_known)) {
        for (int64_t size : known.sizes) {
          s.sizes.push_back(size < 0 ? 2 : size);
          s.declared.push_back(size >= 0);
        }
      }
      out.push_back(s);
    }
    return out;
  }

  Guess of_types(const InputTypes& types) const {
    Guess g;
    g.slots = slots();
    for (Slot& s : g.slots) {
      const Type& type = types[s.input].second;
      const Type& tensor = s.list && type.is(TypeKind::List) ? type.element() : type;
      if (!tensor.is_tensor() || !tensor.info().complete()) continue;
      s.dtype = tensor.info().dtype;
      s.sizes = tensor.info().sizes;
      if (!range_of_name(types[s.input].first, &s.low, &s.high)) s.high = s.low - 1;
    }
    return g;
  }

  std::vector<Guess> first_guesses() const {
    std::vector<Guess> out;
    static const Dims kFirst[] = {{2, 3, 8, 8}, {2, 3, 4}, {2, 3}, {3}, {2, 3, 4, 4, 4}, {}};
    for (const Dims& sizes : kFirst) {
      for (DType dtype : {DType::F32, DType::I64}) {
        Guess g;
        g.slots = slots();
        for (Slot& s : g.slots) {
          if (!s.fixed_dtype) s.dtype = dtype;
          if (!s.fixed_rank) s.sizes = sizes;
          if (s.dtype == DType::I64) s.high = 1;
        }
        out.push_back(g);
      }
    }
    return out;
  }

  // Tries it where it is new. True: accepted, or better than `parent`.
  bool push(Guess guess, const Tried* parent = nullptr) {
    if (guess.elements() > kMostElements || is_exhausted()) return false;
    if (!seen_.insert(guess.text()).second) return false;
    Tried t = attempt(guess);
    if (t.accepted) {
      found_.push_back(std::move(guess));
      return true;
    }
    // Another error of the same operator: the condition that failed before holds now.
    if (parent && t.operators == parent->operators) t.past_errors = parent->past_errors;
    const bool news = t.past_errors.insert(stable_phrase(t.message)).second;
    const bool better =
        parent && (t.operators > parent->operators ||
                   (t.operators == parent->operators && (news || t.distance < parent->distance)));
    if (t.operators > furthest_.operators || (t.operators == furthest_.operators &&
                                              t.past_errors.size() >= furthest_.past_errors.size()))
      furthest_ = t;
    std::vector<int> ranks;
    for (const Slot& s : guess.slots) ranks.push_back(s.sizes.rank());
    queues_[ranks].push({std::move(guess), std::move(t), tried_});
    return better;
  }

  // Accepted where all of some draws of values are: one alone may hold just what an index needs.
  Tried attempt(const Guess& guess) {
    Tried out;
    const InputTypes types = types_of(given_, guess);
    for (uint64_t k = 0; k < kDraws; ++k) {
      Choices choices(kSearchStream, k);
      counted_.clear();
      heartbeat();
      const Outcome o = eager_.run(draw_call(choices, given_, types));
      ++tried_;
      if (o.kind == Outcome::Kind::Values) continue;
      out.operators = counted_.sum();
      out.message = o.message.substr(0, o.message.find('\n'));
      out.distance = distance_in(o.message);
      return out;
    }
    out.accepted = true;
    return out;
  }

  bool waiting() const {
    return std::ranges::any_of(queues_, [](const auto& q) { return !q.second.empty(); });
  }

  // Alternates between the queue with the best guess and each of the others: ranks in which the
  // program ends early may be the right ones.
  Queue& next_queue() {
    best_is_due_ = !best_is_due_;
    if (best_is_due_) {
      Queue* best = nullptr;
      for (auto& [ranks, queue] : queues_)
        if (!queue.empty() && (!best || best->top() < queue.top())) best = &queue;
      return *best;
    }
    auto at = queues_.upper_bound(last_);
    while (at == queues_.end() || at->second.empty())
      at = at == queues_.end() ? queues_.begin() : std::next(at);
    last_ = at->first;
    return at->second;
  }

  // Until a guess derived from the best is better, or a batch of them was tried.
  void expand(Queue& queue) {
    Candidate best = queue.top();
    queue.pop();
    std::vector<Guess> guesses = neighbours(best.guess, best.tried.message);
    const size_t end = std::min(guesses.size(), best.next + kBatch);
    while (best.next < end && !is_exhausted())
      if (push(std::move(guesses[best.next++]), &best.tried)) break;
    if (best.next < guesses.size()) queue.push(std::move(best));
  }

  // What may be accepted where `g` is not, likely ones first.
  std::vector<Guess> neighbours(const Guess& g, const std::string& message) const {
    std::vector<Guess> out;
    const std::vector<int64_t> numbers = numbers_in(message);
    as_asked(g, asked_in(message.substr(0, message.find(", got "))), out);
    resize(g, numbers, out);
    resize_alike(g, numbers, out);
    const bool measured = distance_in(message) != kUnknown;  // so sides can be ranked by it
    if (measured) squares(g, out);
    for (const Dims& sizes : all_sizes(g)) same_sizes(g, sizes, out);
    change_dtypes(g, numbers, out);
    change_ranks(g, out);
    resize(g, weights_, out);
    resize_alike(g, weights_, out);
    if (!measured) squares(g, out);
    for (uint64_t k = 0; k < kOtherTypes; ++k) {
      out.push_back(g);
      out.back().others = k;
    }
    return out;
  }

  // What the message asks for, of one tensor after the other.
  static void as_asked(const Guess& g, const Asked& asked, std::vector<Guess>& out) {
    for (size_t i = 0; i < g.slots.size(); ++i) {
      for (DType dtype : asked.dtypes) {
        if (g.slots[i].fixed_dtype || dtype == g.slots[i].dtype) continue;
        out.push_back(g);
        out.back().slots[i].dtype = dtype;
        out.back().slots[i].low = 0;
        out.back().slots[i].high = 1;
      }
      if (g.slots[i].fixed_rank) continue;
      for (int rank : asked.ranks) {
        if (rank == g.slots[i].sizes.rank()) continue;
        out.push_back(g);
        Dims& sizes = out.back().slots[i].sizes;
        while (sizes.rank() > rank) sizes.erase(0);
        while (sizes.rank() < rank) sizes.push_back(2);
      }
      for (const Dims& last : asked.sizes) {
        out.push_back(g);
        out.back().slots[i].sizes = last;
        if (!asked.dtypes.empty() && !g.slots[i].fixed_dtype)
          out.back().slots[i].dtype = asked.dtypes[0];
        const int from = g.slots[i].sizes.rank() - last.rank();
        if (from <= 0) continue;
        out.push_back(g);
        for (int d = 0; d < last.rank(); ++d) out.back().slots[i].sizes[from + d] = last[d];
      }
    }
  }

  static bool is_known(const Slot& s, int d) {
    return static_cast<size_t>(d) < s.declared.size() && s.declared[static_cast<size_t>(d)];
  }

  static void resize(const Guess& g, const std::vector<int64_t>& sizes, std::vector<Guess>& out) {
    for (int64_t size : sizes) {
      for (size_t i = 0; i < g.slots.size(); ++i) {
        for (int d = g.slots[i].sizes.rank() - 1; d >= 0; --d) {
          if (is_known(g.slots[i], d)) continue;
          out.push_back(g);
          out.back().slots[i].sizes[d] = size;
        }
      }
    }
  }

  // One size becomes another, wherever it occurs.
  static void resize_alike(const Guess& g, const std::vector<int64_t>& sizes,
                           std::vector<Guess>& out) {
    std::set<int64_t> old;
    for (const Slot& s : g.slots) old.insert(s.sizes.begin(), s.sizes.end());
    for (int64_t size : sizes) {
      for (int64_t from : old) {
        out.push_back(g);
        for (Slot& s : out.back().slots)
          for (int d = 0; d < s.sizes.rank(); ++d)
            if (s.sizes[d] == from && !is_known(s, d)) s.sizes[d] = size;
      }
    }
  }

  static std::vector<Dims> all_sizes(const Guess& g) {
    std::vector<Dims> out;
    for (const Slot& s : g.slots)
      if (std::find(out.begin(), out.end(), s.sizes) == out.end()) out.push_back(s.sizes);
    return out;
  }

  static void same_sizes(const Guess& g, const Dims& sizes, std::vector<Guess>& out) {
    if (g.slots.size() < 2) return;
    for (size_t i = 0; i < g.slots.size(); ++i) {
      if (g.slots[i].fixed_rank) continue;
      out.push_back(g);
      out.back().slots[i].sizes = sizes;
    }
  }

  void change_dtypes(const Guess& g, const std::vector<int64_t>& numbers,
                     std::vector<Guess>& out) const {
    std::set<int64_t> ends = {1};
    for (const auto* some : {&numbers, &weights_})
      for (int64_t n : *some)
        if (n > 1) ends.insert(n - 1);
    for (size_t i = 0; i < g.slots.size(); ++i) {
      for (DType dtype : {DType::F32, DType::I64, DType::Bool, DType::F64}) {
        if (g.slots[i].fixed_dtype && dtype != g.slots[i].dtype) continue;
        out.push_back(g);
        out.back().slots[i].dtype = dtype;
        out.back().slots[i].low = 0;
        out.back().slots[i].high = 1;
      }
      if (is_float(g.slots[i].dtype) || g.slots[i].dtype == DType::Bool) continue;
      for (int64_t low : {int64_t{0}, int64_t{1}}) {
        for (int64_t high : ends) {
          out.push_back(g);
          out.back().slots[i].low = low;
          out.back().slots[i].high = std::max(low, high);
        }
      }
    }
  }

  static void change_ranks(const Guess& g, std::vector<Guess>& out) {
    for (size_t i = 0; i < g.slots.size(); ++i) {
      const Slot& s = g.slots[i];
      if (s.fixed_rank) continue;
      if (s.sizes.rank() < kMostRank) {
        for (bool front : {true, false}) {
          Dims sizes;
          if (front) sizes.push_back(2);
          for (int64_t size : s.sizes) sizes.push_back(size);
          if (!front) sizes.push_back(4);
          out.push_back(g);
          out.back().slots[i].sizes = sizes;
        }
      }
      if (s.sizes.rank() > 0) {
        out.push_back(g);
        out.back().slots[i].sizes.erase(0);
        out.push_back(g);
        out.back().slots[i].sizes.erase(s.sizes.rank() - 1);
      }
    }
  }

  // Images are square mostly; what a network makes of them fits a later layer for few sizes.
  static void squares(const Guess& g, std::vector<Guess>& out) {
    std::vector<int64_t> sides(63);
    std::iota(sides.begin(), sides.end(), 1);
    for (int64_t more : {64, 72, 80, 84, 96, 100, 112, 128, 160, 192, 224, 227, 256, 299})
      sides.push_back(more);
    for (int dims : {2, 1}) {
      for (int64_t side : sides) {
        for (size_t i = 0; i < g.slots.size(); ++i) {
          const int rank = g.slots[i].sizes.rank();
          if (rank < dims) continue;
          out.push_back(g);
          for (int d = rank - dims; d < rank; ++d)
            if (!is_known(g.slots[i], d)) out.back().slots[i].sizes[d] = side;
        }
      }
    }
  }

  // Accepted ones like it: other sizes, dtypes and ranges.
  void vary(const Guess& g) {
    std::vector<Guess> out;
    static const std::vector<int64_t> kOthers = {1, 2, 5, 8, 17};
    for (size_t i = 0; i < g.slots.size(); ++i) {
      if (!g.slots[i].has_range()) continue;
      for (auto n = weights_.rbegin(); n != weights_.rend(); ++n) {
        if (*n - 1 <= g.slots[i].high) continue;
        out.push_back(g);
        out.back().slots[i].high = *n - 1;
      }
    }
    resize_alike(g, kOthers, out);
    resize(g, kOthers, out);
    for (DType dtype : {DType::F64, DType::F16, DType::BF16}) {
      out.push_back(g);
      for (Slot& s : out.back().slots)
        if (is_float(s.dtype) && !s.fixed_dtype) s.dtype = dtype;
    }
    for (Guess& next : out) {
      if (is_exhausted() || found_.size() >= kEnough) return;
      if (next.elements() > std::max<int64_t>(4 * g.elements(), 4096)) continue;
      push(std::move(next));
    }
  }

  const Given& given_;
  OperatorsRun counted_;
  Prepared eager_;
  const Clock::time_point start_;
  std::vector<int64_t> weights_;
  std::map<std::vector<int>, Queue> queues_;  // by the ranks of the guesses
  std::vector<int> last_;                     // of the queue taken last
  bool best_is_due_ = false;
  std::set<std::string> seen_;
  std::vector<Guess> found_;
  Tried furthest_;
  uint64_t tried_ = 0;
};

}  // namespace

Searched search_inputs(const Given& given, const std::vector<InputTypes>& examples,
                       const Limits& limits) {
  Searched out;
  ChildResult r = run_isolated(
      [&] {
        return Search(given).run(examples).dump(-1, ' ', false, json::error_handler_t::replace);
      },
      limits);
  if (r.kind != ChildResult::Kind::Done || r.output.empty()) {
    out.lost = "eager mode " + r.how_lost();
    return out;
  }
  const json answer = json::parse(r.output);
  out.tried = answer.at("tried");
  out.furthest = answer.at("furthest");
  for (const json& guess : answer.at("found"))
    out.found.push_back(Search::types_of(given, Search::of_json(guess)));
  return out;
}

}  // namespace fusillade::fuzz
