// Programs that torch.export.save wrote (.pt2), read as modules: an ExportedProgram is a graph in
// JSON (models/NAME.json) beside the bytes of its tensors.
//
// The graph becomes `forward` of a module whose attributes are the parameters, buffers and
// constants under the names of state_dict. Nothing of the archive is run, and no pickle is asked
// for more than tensors. What is declared of user's inputs, dtypes and sizes, are the types of
// forward's inputs, so every run checks them; what is declared of other values is not believed.
#pragma once

#include <set>

#include "engine/ir/unit.h"
#include "engine/run/archive/zip.h"

namespace fusillade::exported {

// Is this what torch.export.save writes?
bool is_exported(const archive::ZipReader& zip);
// `complex` gets the tensors of the module that are pairs for complex numbers. Throws Error naming
// the archive's label, the place in it, and what is wrong.
Module read_program(const archive::ZipReader& zip, std::set<const void*>& complex);

}  // namespace fusillade::exported
