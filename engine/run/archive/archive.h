// Saving and loading modules in PyTorch's archive format: what torch.jit.load reads, what
// torch.jit.save writes.
//
// A function is saved as a module of class __torch__.PlaceholderModule whose method `forward` it
// is, as PyTorch does; functions that it calls come along. Saving what was loaded gives the same
// bytes as before, for archives that this engine wrote; running or optimising a module changes
// nothing of what it saves. docs/reference/archives.md has the subset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade {

// The archive's bytes. Throws Error for what the format or the subset cannot express: graphs after
// fusion, cycles of values, methods __getstate__ and __setstate__; Unsupported for a graph that
// TorchScript would not have built: a bool passed as a Scalar. What this engine reads again and
// PyTorch 1.13.1 refuses is reported in `notes`, one message with its source location per
// construct.
std::string save_archive(const Module& module, std::vector<std::string>* notes = nullptr);
// Of TorchScript, of torch.export (engine/run/exported), or an ONNX model (engine/run/onnx), where
// the label ends in .onnx. Throws Error naming `label` and what is
// wrong; never runs anything of the archive.
Module load_archive(std::string bytes, const std::string& label);

// To and from a file. Throws Error with the system's reason. Tensors of an ONNX model may lie in
// files of its folder.
void save_module(const std::string& path, const Module& module,
                 std::vector<std::string>* notes = nullptr);
Module load_module(const std::string& path);
// Is a file of this name an archive: .pt, .pt2, .onnx?
bool is_archive_name(std::string_view path);

// `unit` with the methods of classes that `graph` calls; those of `unit` stay.
CompilationUnit with_methods(CompilationUnit unit, const Graph& graph);
// A module whose `forward` is `graph`, with the methods that it calls; none or several outputs
// become None or a tuple.
Module module_of_function(const Graph& graph);
// What the caller gives for the parameters of `method`, behind the module itself. Throws Error when
// there is none.
const Function& method_of(const Module& module, const std::string& name);

}  // namespace fusillade
