// Entries of operators: all of them name what there is, and bad text is refused by file and line.
#include "engine/ops/entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/ops/operator.h"
#include "fuzz/gen/drawn_call.h"
#include "fuzz/gen/pairs.h"
#include "fuzz/gen/recipe.h"
#include "fuzz/gen/undrawn.h"

namespace fusillade {
namespace {

template <class F>
void expect_error(F f, const std::string& part) {
  std::string error;
  try {
    f();
  } catch (const Exception& e) {
    error = e.what();
  }
  EXPECT_NE(error.find(part), std::string::npos) << "'" << error << "' says no '" << part << "'";
}

std::vector<Entry> parse(std::string_view text) { return parse_entries("some/ops.py", text); }

TEST(Entries, EachNamesOperatorsAndSaysEachThingOnce) {
  EXPECT_GT(entries().size(), 1000u);
  check_entries(entries());
}

TEST(Entries, OneHoldsSchemaBodyAndLines) {
  const std::vector<Entry> all = parse(
      "# a file\n\n"
      "aten::a(Tensor self, int[] values,\n        int b=0) -> Tensor\n"
      "    random if b > 0\n"
      "    values = self.size()\n"
      "    draw self=f[N]\n        b=1\n"
      "    return self\n"
      "    gradient self:\n        return grad\n"
      "aten::b,\naten::c\n    gradient none\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].schema, "aten::a(Tensor self, int[] values, int b=0) -> Tensor");
  EXPECT_EQ(all[0].body, "    values = self.size()\n    return self\n");
  EXPECT_EQ(all[0].line(LineKind::Random)->text, "if b > 0");
  EXPECT_EQ(all[0].line(LineKind::Draw)->text, "self=f[N]\n        b=1");
  EXPECT_EQ(all[0].line(LineKind::Gradient)->text, "self:\n        return grad");
  EXPECT_EQ(all[0].place(all[0].line(LineKind::Gradient)->number), "some/ops.py:10");
  EXPECT_EQ(all[0].line(LineKind::Values), nullptr);
  EXPECT_EQ(all[1].names, (std::vector<std::string_view>{"aten::b", "aten::c"}));
}

TEST(Entries, BadTextIsRefused) {
  expect_error([] { parse("    draw self=f[N]\n"); },
               "some/ops.py:1: an indented line under no operator");
  expect_error([] { parse("\naten::neg\n    drawn self=f[N]\n"); },
               "some/ops.py:2: a line of no kind that an entry has");
  expect_error([] { parse("aten::neg\n    return self\n"); }, "of no kind");
  expect_error([] { parse("prim::a(Tensor self) -> Tensor\n    draw self=f[N]\n"); },
               "some/ops.py:1: an operator without a body");
}

TEST(Entries, ContradictionsAreRefused) {
  auto check = [](std::string_view text) { check_entries(parse(text)); };
  expect_error([&] { check("aten::no_such_row\n    gradient none\n"); },
               "some/ops.py:1: 'aten::no_such_row' is no operator");
  expect_error([&] { check("aten::neg\n    draw self=f[N]\naten::neg\n    draw self=f[M]\n"); },
               "'aten::neg' has 'draw' in another entry too");
  expect_error([&] { check("aten::neg\n    draw self=f[N]\n    draw self=f[M]\n"); },
               "2 lines 'draw'");
}

// Operators whose calls a line is read for: the one named, its equivalent, and the one on pairs in
// its place.
std::vector<const Operator*> drawn_by(const std::string& name) {
  std::vector<const Operator*> out;
  for (const Operator& r : OperatorTable::instance()) {
    const EntryLine* line = line_of(name, LineKind::Draw);
    if (fuzz::why_undrawn(r).empty() && fuzz::recipe_of(r).data() == line->text.data())
      out.push_back(&r);
  }
  return out;
}

// Throws where the line names no argument, or has a form that is none.
void expect_drawn(const Operator& op, std::string_view recipe) {
  std::string text(recipe);
  std::ranges::replace(text, '\n', ' ');
  std::set<std::string> names;
  for (const SchemaArg& a : op.schema.args) {
    names.insert(a.name);
    if (fuzz::of_pairs(op) && a.name.starts_with(fuzz::kStaysReal))
      names.insert(a.name.substr(fuzz::kStaysReal.size()));
  }
  for (const std::string& item : split_outside_brackets(text, ' ')) {
    if (item.empty()) continue;
    const std::string name = item.substr(0, item.find('='));
    const bool letter = name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
    EXPECT_TRUE(names.contains(name) || letter) << op.name << ": draw names '" << name << "'";
  }
  for (uint64_t i = 0; i < 20; ++i) {
    fuzz::Choices choices(11, i);
    EXPECT_NO_THROW(fuzz::DrawnCall(choices, op).draw()) << op.name << ": draw " << text;
  }
}

TEST(Entries, EveryDrawLineIsReadAndSaysHow) {
  int lines = 0;
  for (const Entry& e : entries()) {
    const EntryLine* line = e.line(LineKind::Draw);
    if (!line) continue;
    ++lines;
    for (std::string_view name : e.names) {
      const std::vector<const Operator*> operators = drawn_by(std::string(name));
      EXPECT_FALSE(operators.empty())
          << e.place(line->number) << ": no call of " << name << " is drawn";
      for (const Operator* r : operators) expect_drawn(*r, line->text);
    }
  }
  EXPECT_GT(lines, 250);
}

}  // namespace
}  // namespace fusillade
