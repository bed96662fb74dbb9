# What is asked of lists, dictionaries and strings.

aten::len.t, aten::len.str, aten::len.Dict_str, aten::len.Dict_int, aten::len.Dict_float,
aten::len.Dict_bool, aten::len.Dict_Tensor
    traits total
