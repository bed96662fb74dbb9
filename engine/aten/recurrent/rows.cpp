// Recurrent cells, and whole recurrent layers as loops over layers, directions and steps of cells.
//
// A layer's parameters come in the order ATen takes them: for each layer and direction w_ih, w_hh,
// with biases b_ih, b_hh, and of an LSTM whose h is narrower than its c w_hr, which projects h.
// Packed sequences have rows of their own (packed.cpp).
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "recurrent";

// ---------------------------------------------------------------------------- cells

// input @ w_ih' + b_ih and h @ w_hh' + b_hh
constexpr const char* kProducts = R"(  %from_input : Tensor = aten::linear(%input, %w_ih, %b_ih)
  %from_state : Tensor = aten::linear(%h, %w_hh, %b_hh)
)";

std::string lstm_cell_body() {
  return std::string(kLiterals) + R"(  %four : int = prim::Constant[value=4]()
  %h : Tensor, %c : Tensor = prim::ListUnpack(%hx)
)" + kProducts +
         R"(  %gates : Tensor = aten::add(%from_input, %from_state, %one)
  %parts : Tensor[] = aten::chunk(%gates, %four, %one)
  %a : Tensor, %b : Tensor, %d : Tensor, %e : Tensor = prim::ListUnpack(%parts)
  %i : Tensor = aten::sigmoid(%a)
  %f : Tensor = aten::sigmoid(%b)
  %g : Tensor = aten::tanh(%d)
  %o : Tensor = aten::sigmoid(%e)
  %old : Tensor = aten::mul(%f, %c)
  %new : Tensor = aten::mul(%i, %g)
  %cell : Tensor = aten::add(%old, %new, %one)
  %squashed : Tensor = aten::tanh(%cell)
  %state : Tensor = aten::mul(%o, %squashed)
  return (%state, %cell)
)";
}

std::string gru_cell_body() {
  return std::string(kLiterals) + R"(  %three : int = prim::Constant[value=3]()
  %h : Tensor = aten::alias(%hx)
)" + kProducts +
         R"(  %ins : Tensor[] = aten::chunk(%from_input, %three, %one)
  %states : Tensor[] = aten::chunk(%from_state, %three, %one)
  %i_r : Tensor, %i_z : Tensor, %i_n : Tensor = prim::ListUnpack(%ins)
  %h_r : Tensor, %h_z : Tensor, %h_n : Tensor = prim::ListUnpack(%states)
  %sum_r : Tensor = aten::add(%i_r, %h_r, %one)
  %sum_z : Tensor = aten::add(%i_z, %h_z, %one)
  %reset : Tensor = aten::sigmoid(%sum_r)
  %update : Tensor = aten::sigmoid(%sum_z)
  %gated : Tensor = aten::mul(%reset, %h_n)
  %sum_n : Tensor = aten::add(%i_n, %gated, %one)
  %new : Tensor = aten::tanh(%sum_n)
  %apart : Tensor = aten::sub(%h, %new, %one)
  %moved : Tensor = aten::mul(%apart, %update)
  %state : Tensor = aten::add(%moved, %new, %one)
  return (%state)
)";
}

std::string plain_cell_body(const char* activation) {
  return std::string(kLiterals) + "  %h : Tensor = aten::alias(%hx)\n" + kProducts +
         fmt::format(R"(  %sum : Tensor = aten::add(%from_input, %from_state, %one)
  %state : Tensor = {}(%sum)
  return (%state)
)",
                     activation);
}

// ---------------------------------------------------------------------------- layers

// One layer and direction: %x through %steps cells, backwards from the end when %side is not 0.
// `cell` takes (%x_t, state, %w_ih, %w_hh, %b_ih, %b_hh) and gives the new state.
struct Parts {
  const char* cell;
  bool two;  // h and c
};

constexpr const char* kProject = R"(              %h_t : Tensor = prim::If(%projected)
                block0():
                  %p_last : int = aten::add(%p0, %per_side)
                  %w_hr : Tensor = aten::__getitem__(%params, %p_last)
                  %narrow : Tensor = aten::linear(%wide, %w_hr, %none)
                  -> (%narrow)
                block1():
                  -> (%wide)
)";

std::string steps(const Parts& p) {
  std::string carried = p.two
                            ? "%h_n : Tensor, %c_n : Tensor = prim::Loop(%steps, %yes, %h_0, %c_0)"
                            : "%h_n : Tensor = prim::Loop(%steps, %yes, %h_0)";
  std::string params = p.two ? "%t : int, %h : Tensor, %c : Tensor" : "%t : int, %h : Tensor";
  std::string step = p.two ? "              %state : Tensor[] = prim::ListConstruct(%h, %c)\n"
                             "              %wide : Tensor, %c_t : Tensor = "
                           : "              %h_t : Tensor = ";
  return fmt::format(R"(          {0}
            block0({1}):
              %mirrored : int = aten::sub(%last, %t)
              %place : int = prim::If(%backward)
                block0():
                  -> (%mirrored)
                block1():
                  -> (%t)
              %x_t : Tensor = aten::select(%x, %zero, %place)
{2}{3}(%x_t, {4}, %w_ih, %w_hh, %b_ih, %b_hh)
{6}              %grown : Tensor[] = aten::append(%outs, %h_t)
              -> (%yes, %h_t{5})
)",
                     carried, params, step, p.cell, p.two ? "%state" : "%h", p.two ? ", %c_t" : "",
                     p.two ? kProject : "");
}

constexpr const char* kPrepare = R"(  %three : int = prim::Constant[value=3]()
  %front : int[] = prim::Constant[value=[0]]()
  %x_first : Tensor = prim::If(%batch_first)
    block0():
      %swapped : Tensor = aten::transpose(%input, %zero, %one)
      -> (%swapped)
    block1():
      -> (%input)
  %steps : int = aten::size(%x_first, %zero)
  %last : int = aten::sub(%steps, %one)
  %both : int = aten::Int(%bidirectional)
  %directions : int = aten::add(%both, %one)
  %biased : int = aten::Int(%has_biases)
  %pairs : int = aten::mul(%biased, %two)
  %per_side : int = aten::add(%pairs, %two)
  %inner : int = aten::sub(%num_layers, %one)
  %hs : Tensor[] = prim::ListConstruct()
  %cs : Tensor[] = prim::ListConstruct()
)";

constexpr const char* kParameters = R"(  %y : Tensor = prim::Loop(%num_layers, %yes, %x_first)
    block0(%layer : int, %x : Tensor):
      %sides : Tensor[] = prim::ListConstruct()
      prim::Loop(%directions, %yes)
        block0(%side : int):
          %before : int = aten::mul(%layer, %directions)
          %at : int = aten::add(%before, %side)
          %p0 : int = aten::mul(%at, %stride)
          %p1 : int = aten::add(%p0, %one)
          %p2 : int = aten::add(%p0, %two)
          %p3 : int = aten::add(%p0, %three)
          %w_ih : Tensor = aten::__getitem__(%params, %p0)
          %w_hh : Tensor = aten::__getitem__(%params, %p1)
          %b_ih : Tensor?, %b_hh : Tensor? = prim::If(%has_biases)
            block0():
              %b_ih_given : Tensor = aten::__getitem__(%params, %p2)
              %b_hh_given : Tensor = aten::__getitem__(%params, %p3)
              -> (%b_ih_given, %b_hh_given)
            block1():
              -> (%none, %none)
          %backward : bool = aten::ne(%side, %zero)
          %outs : Tensor[] = prim::ListConstruct()
          %h_0 : Tensor = aten::select(%h_all, %zero, %at)
)";

constexpr const char* kJoin = R"(          %stacked : Tensor = aten::stack(%outs, %zero)
          %ordered : Tensor = prim::If(%backward)
            block0():
              %flipped : Tensor = aten::flip(%stacked, %front)
              -> (%flipped)
            block1():
              -> (%stacked)
          %more_sides : Tensor[] = aten::append(%sides, %ordered)
          %more_h : Tensor[] = aten::append(%hs, %h_n)
)";

constexpr const char* kFinish = R"(          -> (%yes)
      %joined : Tensor = aten::cat(%sides, %two)
      %more : bool = aten::lt(%layer, %inner)
      %drops : bool = aten::__and__(%more, %train)
      %next : Tensor = aten::dropout(%joined, %dropout, %drops)
      -> (%yes, %next)
  %h_out : Tensor = aten::stack(%hs, %zero)
  %result : Tensor = prim::If(%batch_first)
    block0():
      %back : Tensor = aten::transpose(%y, %zero, %one)
      -> (%back)
    block1():
      -> (%y)
)";

constexpr const char* kWidths = R"(  %h_width : int = aten::size(%h_all, %two)
  %c_width : int = aten::size(%c_all, %two)
  %projected : bool = aten::ne(%h_width, %c_width)
  %more_weights : int = aten::Int(%projected)
  %stride : int = aten::add(%per_side, %more_weights)
)";

std::string lstm_body() {
  return std::string(kLiterals) + "  %h_all : Tensor, %c_all : Tensor = prim::ListUnpack(%hx)\n" +
         kPrepare + kWidths + kParameters +
         "          %c_0 : Tensor = aten::select(%c_all, %zero, %at)\n" +
         steps({"aten::lstm_cell", true}) + kJoin +
         "          %more_c : Tensor[] = aten::append(%cs, %c_n)\n" + kFinish +
         "  %c_out : Tensor = aten::stack(%cs, %zero)\n  return (%result, %h_out, %c_out)\n";
}

std::string plain_layer_body(const char* cell) {
  return std::string(kLiterals) + "  %h_all : Tensor = aten::alias(%hx)\n" + kPrepare +
         "  %stride : int = aten::add(%pairs, %two)\n" + kParameters + steps({cell, false}) +
         kJoin + kFinish + "  return (%result, %h_out)\n";
}

// Of the second of an LSTM's states.
Type memory_type(const std::vector<Type>& states) {
  bool known = states.size() == 2 && states[1].is_tensor() && states[1].info().complete();
  return known ? Type::tensor(states[1].info().dtype, states[1].info().sizes)
               : Type(TypeKind::Tensor);
}

// The loops of the body hide sizes that the arguments tell: input, hx, params, has_biases,
// num_layers, dropout, train, bidirectional, batch_first.
void infer_layers(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  bool listed = args[1].type.is(TypeKind::List);
  Type state = !listed                 ? args[1].type
               : args[1].items.empty() ? Type(TypeKind::Tensor)
                                       : args[1].items[0];
  bool known = args[0].type.info().complete() && state.is_tensor() && state.info().complete() &&
               args[7].known && args[8].known;
  if (known) {
    const Dims& in = args[0].type.info().sizes;
    const Dims& h = state.info().sizes;
    if (in.rank() != 3 || h.rank() != 3) {
      fail("{}: input and state must have 3 dimensions, got {} and {}", row.schema.name,
           to_string(in), to_string(h));
    }
    bool first = args[8].value.as_bool();
    int64_t width = h[2] * (args[7].value.as_bool() ? 2 : 1);
    TensorInfo out =
        Type::tensor(state.info().dtype, Dims{in[first ? 1 : 0], in[first ? 0 : 1], width}).info();
    if (first) {
      std::swap(out.sizes[0], out.sizes[1]);
      std::swap(out.strides[0], out.strides[1]);
    }
    results.push_back(Type::tensor(out));
    results.push_back(Type::tensor(state.info().dtype, h));
    if (listed) results.push_back(memory_type(args[1].items));
    return;
  }
  for (int i = 0; i < 2 + listed; ++i) results.push_back(TypeKind::Tensor);
}

// ---------------------------------------------------------------------------- drawing

// input [n, k], state(s) [n, m], w_ih [gates * m, k], w_hh [gates * m, m], perhaps biases
std::vector<Wish> draw_cell(const Row& row, Chooser& chooser, const TensorInfo* offered) {
  bool lstm = row.schema.name == "aten::lstm_cell";
  int64_t gates = lstm ? 4 : row.schema.name == "aten::gru_cell" ? 3 : 1;
  if (offered &&
      (offered->sizes.rank() != 2 || !is_float(offered->dtype) || numel_of(offered->sizes) > 60))
    return {};
  DType dtype = offered ? offered->dtype : DType::F32;
  int64_t n = offered ? offered->sizes[0] : chooser.between(1, 3);
  int64_t k = offered ? offered->sizes[1] : chooser.between(1, 4);
  int64_t m = chooser.between(1, 4);
  auto state = [&] { return Wish::tensor(dtype, Dims{n, m}); };
  std::vector<Wish> out{offered ? Wish::offered() : Wish::tensor(dtype, Dims{n, k}),
                        lstm ? Wish::list({state(), state()}) : state(),
                        Wish::tensor(dtype, Dims{gates * m, k}),
                        Wish::tensor(dtype, Dims{gates * m, m})};
  bool biased = chooser.percent(60);
  for (int i = 0; i < 2; ++i)
    out.push_back(biased ? Wish::tensor(dtype, Dims{gates * m}) : Wish::of(IValue()));
  return out;
}

[[maybe_unused]] const bool kRegistered = [] {
  const std::string weights = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> ";
  auto cell = [&](const std::string& name, const std::string& state, const std::string& result,
                  std::string body) {
    add_composite({.schema = name + "(Tensor input, " + state + " hx, " + weights + result,
                   .body = std::move(body),
                   .family = kFamily,
                   .draw = &draw_cell});
  };
  cell("aten::lstm_cell", "Tensor[]", "(Tensor, Tensor)", lstm_cell_body());
  cell("aten::gru_cell", "Tensor", "Tensor", gru_cell_body());
  cell("aten::rnn_tanh_cell", "Tensor", "Tensor", plain_cell_body("aten::tanh"));
  cell("aten::rnn_relu_cell", "Tensor", "Tensor", plain_cell_body("aten::relu"));
  const std::string rest =
      " hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "
      "bool bidirectional, bool batch_first) -> ";
  auto layers = [&](const std::string& name, const std::string& state, const std::string& result,
                    std::string body) {
    add_composite({.schema = name + ".input(Tensor input, " + state + rest + result,
                   .body = std::move(body),
                   .family = kFamily,
                   .infer = &infer_layers,
                   .nondeterministic = true,
                   .draws_if = "train and num_layers > 1 and dropout > 0 and dropout < 1"});
  };
  layers("aten::lstm", "Tensor[]", "(Tensor, Tensor, Tensor)", lstm_body());
  layers("aten::gru", "Tensor", "(Tensor, Tensor)", plain_layer_body("aten::gru_cell"));
  layers("aten::rnn_tanh", "Tensor", "(Tensor, Tensor)", plain_layer_body("aten::rnn_tanh_cell"));
  layers("aten::rnn_relu", "Tensor", "(Tensor, Tensor)", plain_layer_body("aten::rnn_relu_cell"));
  return true;
}();

}  // namespace
}  // namespace fusillade
