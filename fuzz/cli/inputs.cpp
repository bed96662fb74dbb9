// See inputs.h.
#include "fuzz/cli/inputs.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/print_python.h"
#include "engine/tensor/npy.h"
#include "fuzz/cli/argument.h"
#include "fuzz/cli/input_view.h"
#include "fuzz/cli/random_tensor.h"
#include "fuzz/cli/whole.h"

namespace fusillade::cli {
namespace {

// The program's inputs from the three input flags, in the order they were written, and defaults.
class Inputs {
 public:
  Inputs(const Program& program, uint64_t seed, bool takes_stand_ins = false)
      : program_(program),
        seed_(seed),
        takes_stand_ins_(takes_stand_ins),
        given_(program.graph->inputs().size()),
        random_(given_.size()),
        stands_for_(given_.size()) {
    if (program.module.unit) given_[next_++] = program.module.self;
    first_ = next_;
  }

  // In the order in which they were written.
  void add_all(const CLI::App& app, const InputFlags& flags) {
    size_t next_in = 0, next_random = 0, next_arg = 0;
    for (const CLI::Option* option : app.parse_order()) {
      std::string name = option->get_lnames().empty() ? "" : option->get_lnames()[0];
      if (name == "in") add_file_or_view(flags.in[next_in++]);
      if (name == "rand") {
        add_random(flags.random[next_random++]);
      }
      if (name == "arg") add_argument(flags.args[next_arg++]);
    }
  }

  void add_file_or_view(const std::string& text) {
    const std::optional<InputView> written = read_input_view(text);
    if (!written) {
      add(load_npy(text));
      return;
    }
    const std::string where = fmt::format("--in '{}'", text);
    std::vector<size_t> inputs;
    NamedTensors before;
    for (size_t i = first_; i < given_.size(); ++i) {
      if (!given_[i] || !given_[i]->is_tensor() || !stands_for_[i].empty()) continue;
      before.emplace_back(name(i), given_[i]->as_tensor());
      inputs.push_back(i);
    }
    ViewOf taken = take_view(*written, before, where);
    place(find_free(written->name, where), taken.view, random_[inputs[taken.base]]);
  }

  // The input of that name, which nothing is given for.
  size_t find_free(const std::string& wanted, const std::string& where) const {
    for (size_t i = first_; i < given_.size(); ++i) {
      if (name(i) != wanted) continue;
      if (given_[i]) fail("{}: '{}' is given twice", where, wanted);
      return i;
    }
    fail_unknown(wanted, where);
  }

  void place(size_t at, IValue value, bool random) {
    random_[at] = random;
    given_[at] = std::move(value);
  }

  void add_random(const std::string& text) {
    const std::string where = fmt::format("--rand '{}'", text);
    const std::optional<StandIn> stand_in = find_stand_in(text, where);
    if (!stand_in) {
      add(random(text, where), true);
      return;
    }
    if (!takes_stand_ins_)
      fail("{}: there are no tensors of {}; `check` gives such to compilers of plain Python", where,
           stand_in->dtype);
    const size_t at = add(random(stand_in->sent, where), true);
    if (at < stands_for_.size()) stands_for_[at] = stand_in->dtype;
  }

  // Which parameter it is of.
  size_t add(IValue value, bool random = false) {
    while (next_ < given_.size() && given_[next_]) ++next_;
    if (next_ < given_.size()) {
      place(next_, std::move(value), random);
    } else {
      extra_.push_back(std::move(value));
    }
    return next_;
  }

  IValue random(const std::string& text, const std::string& where) {
    if (std::optional<IValue> number = random_number(text, seed_, randoms_)) {
      ++randoms_;
      return *number;
    }
    return random_tensor(text, where, seed_, randoms_++,
                         [&](const std::string& base) { return find_base(base, where); });
  }

  // A tensor given before, that another is a view of.
  Tensor find_base(const std::string& base, const std::string& where) const {
    std::vector<std::string> legal;
    for (size_t i = first_; i < given_.size(); ++i) {
      if (!given_[i] || !given_[i]->is_tensor()) continue;
      if (name(i) == base) return given_[i]->as_tensor();
      legal.push_back(name(i));
    }
    fail("{}: no tensor '{}' is given before it ({})", where, base,
         legal.empty() ? "none is" : "given: " + join(legal, ", "));
  }

  void add_argument(const std::string& text) {
    RandomTensor random_of = [this](const std::string& shape) {
      return random(shape, fmt::format("'{}'", shape));
    };
    const size_t equals = text.find('=');
    if (equals != std::string::npos && archive::is_identifier(text.substr(0, equals))) {
      const size_t at = find_free(text.substr(0, equals), fmt::format("--arg '{}'", text));
      given_[at] = argument_value(text.substr(equals + 1), type(at), random_of);
      return;
    }
    size_t at = next_;
    while (at < given_.size() && given_[at]) ++at;
    add(argument_value(text, at < given_.size() ? type(at) : Type(TypeKind::Any), random_of));
  }

  [[noreturn]] void fail_unknown(const std::string& wanted, const std::string& where) const {
    std::vector<std::string> legal;
    for (size_t i = first_; i < given_.size(); ++i) legal.push_back(name(i));
    fail("{}: there is no argument '{}' ({})", where, wanted,
         legal.empty() ? "it takes none" : "legal: " + join(legal, ", "));
  }

  std::vector<InputHint> hints() {
    if (!extra_.empty())
      fail("{} takes {} inputs, got {} more",
           program_.graph->name.empty() ? "the program" : program_.graph->name,
           given_.size() - first_, extra_.size());
    std::vector<InputHint> out;
    for (size_t i = 0; i < given_.size(); ++i)
      out.push_back({given_[i], random_[i], stands_for_[i]});
    return out;
  }

  std::vector<IValue> final_values() {
    std::vector<IValue> out;
    const std::vector<SchemaArg>& args = program_.schema.args;
    for (size_t i = 0; i < given_.size(); ++i) {
      bool has_default = i < args.size() && args[i].has_default;
      if (!given_[i] && !has_default && i >= first_) given_[i] = program_.example(i - first_);
      if (!given_[i] && !has_default)
        fail(
            "{} takes {} inputs, got {}: '{}' of type {} is missing; give it by --in, --rand or "
            "--arg",
            program_.graph->name.empty() ? "the program" : program_.graph->name,
            given_.size() - first_, count(), name(i), type(i));
      out.push_back(given_[i] ? *given_[i] : args[i].default_value);
    }
    out.insert(out.end(), extra_.begin(), extra_.end());
    return out;
  }

 private:
  int64_t count() const {
    return std::count_if(given_.begin() + static_cast<long>(first_), given_.end(),
                         [](const auto& g) { return g.has_value(); });
  }
  const Type& type(size_t i) const { return program_.graph->inputs()[i]->type(); }
  std::string name(size_t i) const {
    return i < program_.schema.args.size() ? program_.schema.args[i].name
                                           : program_.graph->inputs()[i]->name();
  }

  const Program& program_;
  uint64_t seed_;
  bool takes_stand_ins_;
  uint64_t randoms_ = 0;  // generated so far: each has numbers of its own
  std::vector<std::optional<IValue>> given_;
  std::vector<bool> random_;             // of those: by --rand
  std::vector<std::string> stands_for_;  // the dtypes that some of them stand for
  std::vector<IValue> extra_;            // more than the program takes
  size_t next_ = 0;
  size_t first_ = 0;  // behind the object
};

}  // namespace

void declare_inputs(CLI::App& app, InputFlags& flags) {
  app.add_option("--in", flags.in,
                 "next input: a .npy file; or 'y = x[1:]', a view of an earlier input")
      ->expected(1)
      ->take_all();
  app.add_option("--rand", flags.random,
                 "next input: random, as in f32[4,5], int or float; 'f32[4,5] strides=[1,4] "
                 "offset=3', 'view of x offset=1 f32[2] strides=[3]'")
      ->expected(1)
      ->take_all();
  app.add_option("--arg", flags.args,
                 "next input: 3, 1.5, true, none, 'text', [1, 2], (1, 'a'), {'a': 1}, tensors in "
                 "them as f32[2,3] or npy('in.npy'); or NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);  // else [1, 2] would be two values
  app.add_option("--seed", flags.seed, "seed of --rand and of a module's initial values")
      ->capture_default_str()
      ->check(kWhole);
}

void require_draws(const CLI::App& app, const InputFlags& flags, const ModuleChoice& module) {
  const bool in_args = std::ranges::any_of(
      flags.args, [](const std::string& text) { return text.find('[') != std::string::npos; });
  if (app.count("--seed") && flags.random.empty() && !in_args && module.call.empty())
    fail("--seed is of --rand and of the initial values of a --module, and neither is given");
}

std::vector<IValue> collect_inputs(const CLI::App& app, const InputFlags& flags,
                                   const Program& program) {
  if (program.inputs && flags.in.empty() && flags.random.empty() && flags.args.empty())
    return program.inputs->inputs;
  Inputs inputs(program, flags.seed);
  inputs.add_all(app, flags);
  return inputs.final_values();
}

std::vector<InputHint> collect_hints(const CLI::App& app, const InputFlags& flags,
                                     const Program& program, bool stand_ins) {
  Inputs inputs(program, flags.seed, stand_ins);
  inputs.add_all(app, flags);
  return inputs.hints();
}

}  // namespace fusillade::cli
