// Statements of whole Python (python.h): numbers and sizes that become dynamic.
#include "fuzz/gen/python.h"

namespace fusillade::fuzz::python {
namespace {

[[maybe_unused]] const bool kRegistered = add_rows(
    500, {
             {"size", "tensors of a size that is a number", 4, "", R"=(
@v = torch.$(ones($N + 1, 2)|zeros($N, 3)|arange($N + 1).reshape(-1, 1)|full(($N, 2), $L))$
@t = ($T + @v.sum()$(|.to($T.dtype)| * 2)$).to($T.dtype).clamp(-9, 9)
@n = @v.shape[0] % 7)="},

             {"repeat", "a repeat by a number", 3, "", R"=(
@v = $T.$(repeat($N + 1, 1)|unsqueeze(0).expand($N + 1, -1, -1)|tile((1, $N + 1)))$
@n = @v.numel() % 7
@t = ($T + @v.$(shape[0]|size(-1)|dim())$).clamp(-9, 9))="},

             {"narrow", "slices by numbers", 3, "", R"=(
@v = $T[$($N:|:$N|-$N:|: $N + 1)$]
@t = ($T + @v.$(sum()|shape[0]|numel())$).clamp(-9, 9)
if @v.shape[0] $(>|==)$ 0:
    log.append($(tuple(@v.shape)|@v.shape[0]|len(@v))$))="},

             {"arithmetic", "Python's arithmetic of ints and floats", 3, "", R"=(
@y = ($N * $(3|7)$ - $N) // $(2|-2|3)$ % $(5|-3)$
@z = $(-7 // 2|7 % -3|2 ** ($N % 3)|1 << $N % 4|@y & 3|@y ^ 2|abs(@y)|round(@y / 2))$
@t = ($T * @y + @z).clamp(-9, 9)
log.append((@y, @z, $(@y / 2|float(@z)|@y == @z|divmod(@y, 4)\
|(@y, @z) < (1, 2)|@y.bit_length())$)))="},

             {"float", "a float that becomes dynamic", 2, "", R"=(
@y = float($N) $(+ 0.5|* 2|- 1)$
@t = ($T * $(2|1)$ + int(@y)).clamp(-9, 9)
log.append($(@y|int(@y)|@y.is_integer()|f"{@y:.2f}"|str(@y)|@y // 1)$))="},

             {"shape", "shapes as tuples that are compared and computed with", 3, "", R"=(
@h, @w = $T.shape
@n = (@h * $(@w|2)$ + $N) % 7
log.append($((@h, @w) == tuple($T.shape)|@h > @w|list($T.shape)|$T.shape[::-1] == (@w, @h))$)
@t = $T.$(reshape(@h * @w).reshape(@h, @w)\
|view(-1, @w)|reshape(@w, @h).reshape(@h, @w)|expand(@h, @w).clone())$)="},

             {"split", "split, chunk and unbind by numbers", 2, "", R"=(
@p = $($T.split($N + 1)|$T.chunk($N + 1)|$T.unbind(0)|torch.tensor_split($T, $N + 1))$
@n = len(@p) % 7
@t = ($T + sum(int(p.shape[0] if p.dim() else 1) for p in @p)).clamp(-9, 9))="},

             {"int_of_tensor", "a number read from a tensor, and used as a size", 2, "", R"=(
@n = int($T.$(abs().max()|sum()|numel()|argmax())$) % 5
@t = ($T + torch.$(arange(@n).sum()|ones(@n, 2).numel()|zeros(@n).shape[0])$)\
.to($T.dtype).clamp(-9, 9))="},

             {"bools", "bools as numbers, and short circuits", 2, "", R"=(
@y = $C $(and|or)$ $C
@n = int(bool(@y)) + $(True|bool($N)|($N > 2))$
log.append($(bool(@y)|not @y|[$N, 0] and $N|$N or "none")$))="},

         });

}  // namespace
}  // namespace fusillade::fuzz::python
