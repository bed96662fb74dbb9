# What the host asks of a program's values.

aten::div.out
    draw self=f[N] other==[N] out==[N]

aten::_nested_tensor_from_mask, aten::_nested_tensor_from_mask_left_aligned, aten::to_padded_tensor
    traits refused
