// Builds texts of whole Python: what people write around tensors and our own front end does not
// read. A production is a text of two parts, functions and classes of the script and statements of
// main, with places that are drawn:
//
//   def @f(x, *, by=$L):          @t = @f($T, by=$N)
//       return x * by
//
//   @t @n @s     a fresh name, the same throughout the production; by its first letter main knows
//                it afterwards as a tensor, an int or a string, any other letter as nothing
//   $T $N $S     a tensor variable, an int below 9, a string       $L   a literal int
//   $E $Q        a tensor expression, and one cut down to small elements
//   $C           a condition                                        $B   a block of statements
//   $(a|b|c)$    one of these, in which \| is an operator of Python's
//   @!           the @ of a decorator
//
// Every text ends, and gives the same each time. Tensors have one dtype and the sizes of the first
// argument; their elements are whole numbers whose magnitude stays small, so that sums in any order
// are exact and compilers may not differ in a bit. Loops are bounded by ints below 9.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz::python {

struct Writer {
  Choices& choices;
  const Policy& policy;
  std::string top = {};   // functions and classes
  std::string main = {};  // statements of main
  int indent = 1;
  int names = 0;
  std::vector<std::string> tensors = {}, ints = {}, strings = {}, flags = {};  // known in main
};

// A production: what is written for the script, "" where nothing is, and for main.
struct Row {
  const char* name;
  const char* summary;
  double weight;
  const char* top;
  const char* body;
};
// Rows of Grammar::Python, at positions `first` and following in its order.
bool add_rows(int first, std::initializer_list<Row> rows);
// Some statements, whose names are forgotten behind them.
void block(Writer& w, int statements, int depth);

std::string tensor_expression(Writer& w);
std::string cut_expression(Writer& w);  // with small elements
std::string int_expression(Writer& w);
std::string string_expression(Writer& w);
std::string condition(Writer& w);

}  // namespace fusillade::fuzz::python

namespace fusillade::fuzz {

// A case of whole Python (Case::python) with its calls.
void generate_python(Choices& choices, const GenerateOptions& options, const Policy& policy,
                     Case& c);

}  // namespace fusillade::fuzz
