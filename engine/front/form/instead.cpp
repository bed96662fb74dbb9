// Built-in functions that programs cannot have, and what to write instead.
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

std::optional<Py> refuse_super(Elaborator& in, const PyArgs&, const Expr& e) {
  in.wrong(e, "super() is used as super().f(...)");
}

std::optional<Py> make_dict(Elaborator& in, const PyArgs& args, const Expr& e) {
  return find_form("dict")->evaluate(in, args, e);
}

bool add_all() {
  constexpr std::pair<const char*, const char*> kInstead[] = {
      {"map", "write a comprehension"},
      {"filter", "write a comprehension with 'if'"},
      {"set", "use a list, or a dict of its items"},
      {"frozenset", "use a tuple"},
      {"next", "index the list"},
      {"iter", "loop over the list"},
      {"complex", "keep two floats"},
      {"open", "read the file before, and pass what it holds"},
      {"input", "pass the text as an argument"}};
  for (const auto& [name, text] : kInstead) add_form({name}, {.instead = text});
  add_form({"super"}, {.evaluate = &refuse_super, .instead = "super().f(...) stands in methods"});
  return add_form({"OrderedDict"}, {.evaluate = &make_dict});
}

const bool kAdded = add_all();

}  // namespace
}  // namespace fusillade::front
