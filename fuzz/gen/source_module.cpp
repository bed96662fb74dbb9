// Layers of torch.nn in generated modules: alone, in Sequential, ModuleList and ModuleDict, called
// and looped over.
//
// A layer is drawn for inputs of known sizes, all float32; what it gives has known sizes as well,
// so that layers chain. Inputs that layers want are parameters of the module's forward, or else
// some tensor of the same sizes.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr int64_t kMostWords = 6;  // of an Embedding

Dims with_last(Dims sizes, int64_t last) {
  sizes[sizes.rank() - 1] = last;
  return sizes;
}

// Layers that keep their input's sizes.
std::string keeping_layer(Writer& w, const Dims& sizes) {
  static constexpr const char* kPlain[] = {
      "ReLU()",      "Tanh()",         "Sigmoid()",  "GELU()",     "SiLU()",  "ELU(0.5)",
      "Identity()",  "LeakyReLU(0.1)", "Hardtanh()", "Softplus()", "ReLU6()", "Dropout(0.5).eval()",
      "Softmax(-1)", "LogSoftmax(-1)"};
  int rank = sizes.rank();
  int64_t last = sizes[rank - 1];
  int64_t channels = rank > 1 ? sizes[1] : 0;
  int64_t each = channels > 0 ? numel_of(sizes) / channels : 0;
  switch (w.choices.below(6)) {
    case 0:
      return fmt::format("nn.Linear({0}, {0}{1})", last,
                         w.choices.chance(0.3) ? ", bias=False" : "");
    case 1:
      return fmt::format("nn.LayerNorm([{}]{})", last,
                         w.choices.chance(0.3) ? ", elementwise_affine=False" : "");
    case 2: {
      if (each < 2 || rank > 4) break;
      static constexpr const char* kModes[] = {"", ", affine=False", ", track_running_stats=False"};
      return fmt::format("nn.BatchNorm{}d({}{}){}", rank == 4 ? 2 : 1, channels,
                         kModes[w.choices.below(3)], w.choices.chance(0.5) ? ".eval()" : "");
    }
    case 3:
      if (each < 2) break;
      return fmt::format("nn.GroupNorm({}, {})", channels % 2 == 0 && w.choices.chance(0.5) ? 2 : 1,
                         channels);
    default:
      break;
  }
  return std::string("nn.") + kPlain[w.choices.below(std::size(kPlain))];
}

// A layer for tensors of `sizes`, which become those of its result.
std::string layer(Writer& w, Dims& sizes) {
  int rank = sizes.rank();
  int64_t out = w.choices.between(1, 4);
  if (w.choices.chance(0.3)) {
    std::string text = fmt::format("nn.Linear({}, {})", sizes[rank - 1], out);
    sizes = with_last(sizes, out);
    return text;
  }
  if (rank < 3 || w.choices.chance(0.3)) return keeping_layer(w, sizes);
  int64_t padding = w.choices.between(0, 1), kernel = w.choices.between(1, 2),
          stride = w.choices.between(1, 2);
  std::string text = fmt::format("nn.Conv{}d({}, {}, {}, stride={}, padding={})", rank - 2,
                                 sizes[1], out, kernel, stride, padding);
  sizes[1] = out;
  for (int d = 2; d < rank; ++d) {
    int64_t room = sizes[d] + 2 * padding - kernel;
    if (room < 0) return "nn.Identity()";  // no such input is drawn: every size is at least 2
    sizes[d] = room / stride + 1;
  }
  return text;
}

void embedding_field(Writer& w, const std::string& name) {
  Dims sizes{w.choices.between(1, 4)};
  const Type in = input_tensor(DType::I64, sizes);
  int64_t words = w.choices.between(1, kMostWords), width = w.choices.between(1, 4);
  line(w, fmt::format("{} = nn.Embedding({}, {}{})", name, words, width,
                      w.choices.chance(0.3) ? ", padding_idx=0" : ""));
  w.wanted.push_back(in);
  sizes.push_back(width);
  Callee look{name, {{"input", in, false}}, input_tensor(DType::F32, sizes), 1};
  look.arguments[0].behind = fmt::format(" % {}", words);
  w.callees.push_back(std::move(look));
}

// for i3 in self.a: v = i3(v)
bool layer_loop(Writer& w) {
  if (w.layers.empty() || w.iterations > 1) return false;
  const Layers l = w.choices.pick(w.layers);
  std::string v = fresh(w, "v"), item = fresh(w, "i"), index = fresh(w, "i");
  line(w, v + " = " + expression(w, l.in, 1).s);
  if (l.keyed) {
    line(w, w.choices.chance(0.5) ? fmt::format("for {} in {}.values():", item, l.name)
                                  : fmt::format("for {}, {} in {}.items():", index, item, l.name));
    ++w.indent;
    line(w, fmt::format("{0} = {1}({0})", v, item));
  } else if (w.choices.chance(0.3)) {
    line(w, fmt::format("for {}, {} in enumerate({}):", index, item, l.name));
    ++w.indent;
    line(w, fmt::format("{0} = {1}({0}) * {2}", v, item, index));
  } else {
    line(w, fmt::format("for {} in {}:", item, l.name));
    ++w.indent;
    line(w, fmt::format("{0} = {2}{1}({0})", v, item, w.choices.chance(0.5) ? "" : v + " + "));
  }
  --w.indent;
  w.vars.push_back({v, l.in});
  return true;
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::TensorStatement, 10,
    {{"script.layers", "a loop over the layers of a module", 0.12, where_it_fits<layer_loop>,
      kAnyDepth, kAskedFirst, [](const Writer& w) { return !w.layers.empty(); }}});

}  // namespace

// self.a = nn.Sequential(...), or another kind of layers.
void layer_field(Writer& w, Class& c) {
  std::string name = "self." + fresh(w, "a");
  if (w.choices.chance(0.15)) return embedding_field(w, name);
  Dims sizes;
  for (int64_t n = w.choices.between(2, 4); n > 0; --n) sizes.push_back(w.choices.between(2, 4));
  const Type in = input_tensor(DType::F32, sizes);
  w.wanted.push_back(in);
  auto callable_as = [&](const std::string& text, const Type& from, const Dims& to) {
    w.callees.push_back({text, {{"input", from, false}}, input_tensor(DType::F32, to), 1});
  };
  if (w.choices.chance(0.25)) {
    Dims out = sizes;
    std::string text = layer(w, out);
    line(w, name + " = " + text);
    return callable_as(name, in, out);
  }
  struct Container {
    const char* begin;
    const char* end;
    bool chain;  // called as a whole: layers may change sizes
    bool keyed;
  };
  static constexpr Container kContainers[] = {{"nn.Sequential(", ")", true, false},
                                              {"nn.ModuleList([", "])", false, false},
                                              {"nn.ModuleDict({", "})", false, true}};
  const Container& container = kContainers[w.choices.below(std::size(kContainers))];
  auto key = [&](int64_t i) {
    return container.keyed ? fmt::format("\"k{}\"", i) : std::to_string(i);
  };
  std::string items;
  Dims out = sizes;
  int64_t count = w.choices.between(1, 3);
  for (int64_t i = 0; i < count; ++i) {
    std::string item = container.chain ? layer(w, out) : keeping_layer(w, sizes);
    items += (i ? ", " : "") + (container.keyed ? key(i) + ": " : std::string()) + item;
  }
  line(w, name + " = " + container.begin + items + container.end);
  if (container.chain) return callable_as(name, in, out);
  callable_as(fmt::format("{}[{}]", name, key(w.choices.between(0, count - 1))), in, sizes);
  c.layers.push_back({name, in, container.keyed});
}

}  // namespace fusillade::fuzz::source
