// See torch_save.h.
#include "engine/run/exported/torch_save.h"

#include "engine/base/error.h"
#include "engine/run/archive/pickle.h"
#include "engine/run/archive/values.h"

namespace fusillade::exported {
namespace {

using archive::Pickle;
using archive::Pickled;
using archive::ZipReader;
using Kind = Pickled::Kind;

// There are no classes in these files.
class NoClasses : public archive::ClassResolver {
 public:
  ClassPtr resolve_class(const std::string& qualified) override {
    fail("'{}' is no tensor", qualified);
  }
  std::vector<std::string> behind(const std::string&) override { return {}; }
};

class SavedFile {
 public:
  SavedFile(std::string bytes, const std::string& label)
      : zip_(std::move(bytes), label),
        root_(root_of(zip_)),
        pickle_(zip_.read(root_ + "data.pkl"), label + ":" + root_ + "data.pkl"),
        values_(
            pickle_, [this](const std::string& key) { return zip_.view(root_ + "data/" + key); },
            classes_) {}

  Tensors tensors() {
    const Pickled& all = contents(pickle_.root());
    if (!all.is(Kind::Dict)) pickle_.wrong(all, "a dict of tensors is expected");
    Tensors out;
    for (size_t i = 0; i < all.items.size(); i += 2) {
      const Pickled& name = *all.items[i];
      if (!name.is(Kind::Str)) pickle_.wrong(name, "a name is expected");
      const IValue value = values_.read(contents(*all.items[i + 1]), TypeKind::Tensor);
      if (!out.emplace(name.text, value.as_tensor()).second)
        pickle_.wrong(name, fmt::format("'{}' comes twice", name.text));
    }
    return out;
  }

  const std::set<const void*>& complex() const { return values_.complex(); }

  std::vector<IValue> leaves() {
    std::vector<IValue> out;
    add_leaves(pickle_.root(), out);
    return out;
  }

 private:
  static std::string root_of(const ZipReader& zip) {
    const std::string first = zip.entries().empty() ? "" : zip.entries()[0].name;
    return first.substr(0, first.find('/') + 1);
  }

  // Of a parameter its tensor; of anything else itself.
  const Pickled& contents(const Pickled& node) {
    const bool parameter = node.is(Kind::Call) &&
                           node.items[0]->text == "torch._utils _rebuild_parameter" &&
                           node.items[1]->is(Kind::Tuple) && !node.items[1]->items.empty();
    return parameter ? *node.items[1]->items[0] : node;
  }

  void add_leaves(const Pickled& node, std::vector<IValue>& out) {
    const bool dict = node.is(Kind::Dict);
    if (!dict && !node.is(Kind::Tuple) && !node.is(Kind::List)) {
      out.push_back(values_.read(contents(node), TypeKind::Any));
      return;
    }
    for (size_t i = dict; i < node.items.size(); i += 1 + dict) add_leaves(*node.items[i], out);
  }

  ZipReader zip_;
  std::string root_;
  Pickle pickle_;
  NoClasses classes_;
  archive::ValueReader values_;
};

}  // namespace

Tensors tensors_of(std::string bytes, const std::string& label, std::set<const void*>& complex) {
  SavedFile file(std::move(bytes), label);
  Tensors out = file.tensors();
  complex.insert(file.complex().begin(), file.complex().end());
  return out;
}

std::vector<IValue> leaves_of(std::string bytes, const std::string& label) {
  return SavedFile(std::move(bytes), label).leaves();
}

}  // namespace fusillade::exported
