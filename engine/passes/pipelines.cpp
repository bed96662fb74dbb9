// Named pipelines: words that stand for a list of passes wherever a pipeline is written.
//
//   o1   what every program wants: no calls, no tuples, no dead or repeated work
//   o2   o1 plus folding, algebra, loops and products, run until the later passes have fed the
//        earlier ones
#include "engine/base/table.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

const NamedPipeline& kO1 = Table<NamedPipeline>::instance().add(
    {"o1", "inline,types,grad_mode,lower_tuples,dce,cse,constant_pooling,dce"});

const NamedPipeline& kO2 = Table<NamedPipeline>::instance().add(
    {"o2",
     "inline,types,grad_mode,lower_tuples,constant_propagation,dce,remove_expands,canonicalize,cse,"
     "peephole,constant_propagation,unroll,constant_propagation,remove_list_mutation,peephole,"
     "types,remove_tensor_mutation,final_stores,concat,licm,cse,batch_mm(4),peephole,constant_"
     "pooling,"
     "dce"});

}  // namespace
}  // namespace fusillade
