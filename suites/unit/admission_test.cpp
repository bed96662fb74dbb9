// Which scripts CPython is given (fuzz/run/python/admission.h): the parser keeps all that Python
// would run, or says that it did not.
#include "fuzz/run/python/admission.h"

#include <gtest/gtest.h>

#include "engine/front/parser.h"

namespace fusillade::fuzz {
namespace {

const std::string kMain = "def main(x: int) -> int:\n    return x\n";

TEST(Admission, WhatTheLanguageHasIsGiven) {
  for (const char* text :
       {"", "'a text' 'about it'\n", "import math\nfrom typing import List, NamedTuple\n",
        "A = 1, 2\r\nB: int = 3\nC = A\n", "P = NamedTuple(\"P\", [(\"x\", int)])\n",
        "@dataclass(eq=False)\nclass A:\n    '''one'''\n    x: int\n    y: int = 2\n    z = 3\n"
        "    @staticmethod\n    def f(x: int) -> int:\n        return x\n",
        "class B:\n    pass\nclass C:\n    ...\nclass D: pass\n",
        "A = \"{:>{n}} {{}} {0!r:.3}\".format(1, n=2)\nB = f\"{1:.{2}f}{A}\"\n"})
    EXPECT_EQ(why_not_for_python(text + kMain), "") << text;
}

TEST(Admission, WhatPythonRunsAsWellIsNamed) {
  const std::pair<const char*, const char*> table[] = {
      {"\nprint(1)\n", "a statement outside its functions, in line 2"},
      {"'a'.join(['b'])\n", "a statement outside its functions, in line 1"},
      {"# a\rprint(1)\n", "a line's end that is none for the front end, in line 1"},
      {"A = lambda: 1\n", "a statement outside its functions, in line 1"},
      {"A = B = 1\n", "a statement outside its functions, in line 1"},
      {"def main(x: int = print()) -> int:\n    return x\n",
       "a statement outside its functions, in line 1"},
      {"A: f'{__name__}' = 1\n", "the name '__name__', in line 1"},
      {"A = __name__\nA = 1\n", "the name '__name__', in line 1"},
      {"P = NamedTuple(__name__, [(\"x\", int)])\n", "the name '__name__', in line 1"},
      {"def f(x: __name__):\n    # type: (int) -> int\n    return x\n",
       "the name '__name__', in line 1"},
      {"class A:\n    x: int = 1\n    x.y: int\n", "a statement within a class, in line 3"},
      {"class A:\n    for i in [1]:\n        pass\n", "a statement within a class, in line 2"},
      {"class A:\n    x = y = 1\n", "a statement within a class, in line 2"},
      {"class A:\n    x.y = 1\n", "a statement within a class, in line 2"},
      {"@cached\ndef f(x: int) -> int:\n    return x\n",
       "a decorator that the language does not know, in line 1"},
      {"A = '{0[0].x}'.format([1])\n", "a format that walks attributes, in line 1"},
      {"A = '{:{0.x}}'.format(1)\n", "a format that walks attributes, in line 1"},
      {"F = '{}'.format\n", "a format that is not written where it is used, in line 1"}};
  for (const auto& [text, why] : table)
    EXPECT_EQ(why_not_for_python(text + kMain), std::string("not given to Python: ") + why) << text;
  EXPECT_EQ(why_not_for_python("def f(x:\n"),
            "not given to Python: a function that the front end does not read, in line 1");
}

}  // namespace
}  // namespace fusillade::fuzz
