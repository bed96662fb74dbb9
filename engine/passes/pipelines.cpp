// Named pipelines: words that expand to a list of passes wherever a pipeline is written.
//
//   o1   what every program wants: no calls, no tuples, no dead or repeated work
//   o2   o1 plus folding, algebra, loops and products, run until the later passes have fed the
//        earlier ones
//   straight   before a whole function is differentiated (whole_function.h): no rule whose two
//              sides have different gradients
//   joined     over the forward and the backward graph that are built from it
#include "engine/base/table.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

const NamedPipeline& kO1 = Table<NamedPipeline>::instance().add(
    {"o1", "inline,lower_outs,types,grad_mode,lower_tuples,dce,cse,constant_pooling,dce"});

const NamedPipeline& kO2 = Table<NamedPipeline>::instance().add(
    {"o2",
     "inline,lower_outs,types,grad_mode,lower_tuples,constant_propagation,dce,remove_expands,"
     "canonicalize,cse,"
     "peephole,constant_propagation,unroll,constant_propagation,remove_list_mutation,peephole,"
     "types,remove_tensor_mutation,final_stores,concat,licm,cse,batch_mm(4),peephole,constant_"
     "pooling,"
     "dce"});

const NamedPipeline& kStraight = Table<NamedPipeline>::instance().add(
    {"straight",
     "inline,types,lower_tuples,constant_propagation,dce,peephole(structural),constant_propagation,"
     "unroll,constant_propagation,remove_list_mutation,peephole(structural),types,remove_tensor_"
     "mutation,final_stores,peephole(structural),dce,whole_stores,types,unbind_selects,cse(views),"
     "dce"});

const NamedPipeline& kJoined =
    Table<NamedPipeline>::instance().add({"joined",
                                          "concat,cse,sum_products(4),batch_mm(4),peephole,dce,"
                                          "stack_of_ops,concat,cse,peephole,constant_pooling,"
                                          "dce"});

}  // namespace
}  // namespace fusillade
