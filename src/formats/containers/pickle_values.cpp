#include "formats/containers/pickle_values.h"

#include "formats/base/printable.h"

namespace echoloop::pickle {

const Value* Tree::find(const Value& dict, std::string_view key) const {
  const Dict* const table = std::get_if<Dict>(&dict);
  if (table == nullptr) return nullptr;
  for (auto item = table->items.rbegin(); item != table->items.rend(); ++item) {  // a later key replaces an earlier one
    const Text* const name = std::get_if<Text>(&values[item->first]);
    if (name != nullptr && name->utf8 == key) return &values[item->second];
  }
  return nullptr;
}

std::string describe(const Value& value) {
  struct Describe {
    std::string operator()(None) const { return "None"; }
    std::string operator()(bool) const { return "a boolean"; }
    std::string operator()(std::int64_t number) const { return "the number " + std::to_string(number); }
    std::string operator()(double number) const { return "the number " + std::to_string(number); }
    std::string operator()(const Text& text) const { return "the text '" + printable(text.utf8) + "'"; }
    std::string operator()(const Bytes& bytes) const { return std::to_string(bytes.data.size()) + " raw bytes"; }
    std::string operator()(const List& list) const { return "a list of " + std::to_string(list.items.size()); }
    std::string operator()(const Tuple& tuple) const { return "a tuple of " + std::to_string(tuple.items.size()); }
    std::string operator()(const Dict& dict) const { return "a dict of " + std::to_string(dict.items.size()); }
    std::string operator()(Callable) const { return "a numpy name"; }
    std::string operator()(const NumberType& type) const { return "the type " + to_string(type); }
    std::string operator()(BlankArray) const { return "an array without data"; }
    std::string operator()(const Opaque& object) const { return "a " + printable(object.name); }
    std::string operator()(const ArrayView& a) const {
      return "an array of " + to_string(a.type) + " and shape " + shape_text(a.shape);
    }
  };
  return std::visit(Describe{}, value);
}

}  // namespace echoloop::pickle
