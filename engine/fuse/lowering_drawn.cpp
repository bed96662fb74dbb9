// Lowering of random numbers: Philox4x32-10 as integers of 64 bits (tensor/random.h, which eager
// mode draws from), so that each element has eager mode's bits wherever it is computed.
//
// A position is a scalar of the kernel, taken from the stream at each launch. The number of an
// element is the offset at which eager mode writes it, whatever the strides.
#include "engine/aten/random/uniform.h"
#include "engine/fuse/lowering.h"
#include "engine/fuse/values.h"
#include "engine/tensor/random.h"

namespace fusillade::fuse {
namespace {

constexpr int64_t kWord = 0xffffffff;

Expr low(Expr x) { return bit_and(x, Expr::imm_i(kWord)); }
Expr high(Expr x) { return low(shr(x, Expr::imm_i(32))); }

struct Words {
  Expr of[4];
};

Words philox_words(Expr position) {
  Words c{{low(position), high(position), Expr::imm_i(0), Expr::imm_i(0)}};
  uint32_t key[2] = {0, 0};
  for (int round = 0; round < philox_constants::kRounds; ++round) {
    const Expr a = c.of[0] * Expr::imm_i(philox_constants::kMultiplier0);
    const Expr b = c.of[2] * Expr::imm_i(philox_constants::kMultiplier1);
    const Expr first = bit_xor(bit_xor(high(b), c.of[1]), Expr::imm_i(key[0]));
    const Expr third = bit_xor(bit_xor(high(a), c.of[3]), Expr::imm_i(key[1]));
    c = {{first, low(b), third, low(a)}};
    key[0] += philox_constants::kWeyl0;
    key[1] += philox_constants::kWeyl1;
  }
  return c;
}

}  // namespace

// All that draw take their numbers, read or not.
void Lowering::add_draws() {
  for (const Node* node : group_.block()->nodes()) {
    if (!draws_uniform(node->op())) continue;
    if (current_domain() == Domain::Ring) decline("random numbers are no residues");
    const int64_t count = numel_of(node->output()->type().info().sizes);
    out_.draws.push_back(numbers_.product(count));
    positions_[node] = out_.kernel.num_vars++;
    out_.kernel.scalars.push_back({positions_[node], Model::I64});
  }
}

Expr Lowering::uniform_value(Node* node, const Indices& indices) {
  const TensorInfo& info = node->output()->type().info();
  Expr at = Expr::var(positions_.at(node), Model::I64);
  for (int d = 0; d < info.sizes.rank(); ++d) {
    if (info.sizes[d] == 1) continue;
    at = at + indices[static_cast<size_t>(d)] * numbers_.value(info.strides[d]);
  }
  const Words words = philox_words(at);
  const Expr bits = bit_or(shl(words.of[0], Expr::imm_i(21)), shr(words.of[1], Expr::imm_i(11)));
  const Expr unit = convert(bits, Model::F64) * Expr::imm_f(0x1p-53, Model::F64);
  return convert_result(unit, info.dtype);
}

}  // namespace fusillade::fuse
