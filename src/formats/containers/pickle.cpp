#include "formats/containers/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "formats/base/mapping.h"

namespace echoloop::pickle {
namespace {

constexpr std::size_t kMaxValues = std::size_t{1} << 22;  // opcodes that create a value; a frame needs about 15
constexpr std::size_t kMaxStack = std::size_t{1} << 20;   // also the longest list, tuple or dict of one opcode
constexpr std::size_t kMaxMarks = 64;                     // nesting depth
constexpr std::size_t kMaxMemo = std::size_t{1} << 22;

[[noreturn]] void refuse(const std::string& what, const std::string& found) {
  throw Error(what, found, "a pickle (protocol 2 to 5) of dicts, lists, numbers, text and numeric numpy arrays",
              "no code from the file was executed");
}

// Meanings of REDUCE and BUILD in a pickle of numpy data, as value-to-value functions that call nothing. The forms of
// these calls follow numpy's own pickling protocol (ndarray.__reduce__, dtype.__reduce__), numpy 1 and 2.

template <class T>
const T& get(const std::string& what, const Tree& tree, const Tuple& tuple, std::size_t k, const char* name) {
  const Value* const value = k < tuple.items.size() ? &tree[tuple.items[k]] : nullptr;
  const T* const typed = value == nullptr ? nullptr : std::get_if<T>(value);
  if (typed == nullptr)
    refuse(what, std::string(name) + " of a numpy object is " + (value == nullptr ? "missing" : describe(*value)));
  return *typed;
}

std::vector<std::size_t> shape_of(const std::string& what, const Tree& tree, const Tuple& shape) {
  if (shape.items.size() > 16) refuse(what, "an array of " + std::to_string(shape.items.size()) + " axes");
  std::vector<std::size_t> extents;
  for (std::size_t k = 0; k < shape.items.size(); ++k) {
    const auto extent = get<std::int64_t>(what, tree, shape, k, "shape");
    if (extent < 0) refuse(what, "an array axis of length " + std::to_string(extent));
    extents.push_back(static_cast<std::size_t>(extent));
  }
  return extents;
}

ArrayView array_of(const std::string& what, NumberType type, std::vector<std::size_t> shape, MemoryOrder order,
                   std::span<const std::byte> bytes) {
  const auto size = checked_bytes(shape, type.bytes);
  if (!size || *size != bytes.size()) {
    refuse(what, "an array of " + to_string(type) + " and shape " + shape_text(shape) + " with " +
                     std::to_string(bytes.size()) + " bytes");
  }
  return {.type = type, .shape = std::move(shape), .order = order, .bytes = bytes};
}

// Evaluates encode(text, 'latin1'): each code point of the UTF-8 text is one byte.
Bytes encode_latin1(const std::string& what, Tree& tree, const Tuple& arguments, std::size_t file_size) {
  const auto text = get<Text>(what, tree, arguments, 0, "text to encode").utf8;
  const auto codec = get<Text>(what, tree, arguments, 1, "codec").utf8;
  if (codec != "latin1" && codec != "latin-1") refuse(what, "text to encode as '" + printable(codec) + "'");
  std::size_t decoded_so_far = text.size();
  for (const auto& block : tree.decoded) decoded_so_far += block->capacity();
  if (decoded_so_far > file_size + 4096) refuse(what, "text encoded repeatedly");
  auto block = std::make_shared<std::vector<std::byte>>();
  block->reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto lead = static_cast<unsigned char>(text[k]);
    if (lead < 0x80) {
      block->push_back(std::byte{lead});
      continue;
    }
    const unsigned next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0U;
    if ((lead != 0xc2 && lead != 0xc3) || (next & 0xc0U) != 0x80)
      refuse(what, "text that is not latin-1 at byte " + std::to_string(k));
    block->push_back(static_cast<std::byte>(((lead & 0x03U) << 6) | (next & 0x3fU)));
    ++k;
  }
  if (!block->empty()) tree.decoded.push_back(block);
  return {*block};
}

NumberType dtype_of(const std::string& what, const Tree& tree, const Tuple& arguments) {
  const auto code = get<Text>(what, tree, arguments, 0, "dtype").utf8;
  if (code == "b1") return {.kind = NumberKind::unsigned_integer, .bytes = 1, .order = ByteOrder::little};
  const auto type = parse_number_type(code, code.size() == 2 && code[1] == '1' ? '|' : '<');
  if (!type) refuse(what, "an array of dtype '" + printable(code) + "'");
  return *type;
}

// Returns the meaning of a (module, name) pair: a Callable, or an Opaque for the data-only classes (those of ARRUS).
// Throws Error for any pair off the list.
Value resolve(const std::string& what, std::string_view module, std::string_view name) {
  struct Known {
    std::string_view module, name;
    Callable callable;
  };
  static constexpr std::array kKnown = {
      Known{"numpy.core.multiarray", "_reconstruct", Callable::reconstruct},
      Known{"numpy._core.multiarray", "_reconstruct", Callable::reconstruct},
      Known{"numpy.core.multiarray", "scalar", Callable::scalar},
      Known{"numpy._core.multiarray", "scalar", Callable::scalar},
      Known{"numpy", "ndarray", Callable::ndarray},
      Known{"numpy", "dtype", Callable::dtype},
      Known{"numpy.core.numeric", "_frombuffer", Callable::frombuffer},
      Known{"numpy._core.numeric", "_frombuffer", Callable::frombuffer},
      Known{"_codecs", "encode", Callable::encode},
  };
  for (const Known& known : kKnown)
    if (known.module == module && known.name == name) return known.callable;
  const bool reconstructs = (module == "copyreg" || module == "copy_reg") && name == "_reconstructor";
  const bool base = (module == "builtins" || module == "__builtin__") && name == "object";
  if (module == "arrus" || module.starts_with("arrus.") || reconstructs || base)
    return Opaque{.name = printable(module, 80) + "." + printable(name, 80)};
  refuse(what, "a request for " + printable(module) + "." + printable(name));
}

// Returns an object of a data-only class, from the arguments of its construction.
Opaque make_object(const std::string& what, const Tree& tree, const Opaque& type, const Tuple& arguments) {
  if (!type.name.ends_with("._reconstructor")) return {.name = type.name};
  return {.name = get<Opaque>(what, tree, arguments, 0, "class").name};
}

// Returns the result of calling `callable` with `arguments`, without calling anything.
Value reduce(const std::string& what, Tree& tree, Callable callable, const Tuple& arguments, std::size_t file_size) {
  switch (callable) {
    case Callable::reconstruct:
      if (get<Callable>(what, tree, arguments, 0, "class") != Callable::ndarray)
        refuse(what, "_reconstruct of a class other than ndarray");
      return BlankArray{};
    case Callable::dtype:
      return dtype_of(what, tree, arguments);
    case Callable::encode:
      return encode_latin1(what, tree, arguments, file_size);
    case Callable::scalar: {
      const auto type = get<NumberType>(what, tree, arguments, 0, "type");
      const auto number = array_of(what, type, {}, MemoryOrder::c, get<Bytes>(what, tree, arguments, 1, "value").data);
      if (type.kind == NumberKind::complex) return number;
      return number.real_at(0);
    }
    case Callable::frombuffer: {
      const auto order = get<Text>(what, tree, arguments, 3, "memory order").utf8;
      if (order != "C" && order != "F") refuse(what, "memory order '" + printable(order) + "'");
      return array_of(what, get<NumberType>(what, tree, arguments, 1, "type"),
                      shape_of(what, tree, get<Tuple>(what, tree, arguments, 2, "shape")),
                      order == "C" ? MemoryOrder::c : MemoryOrder::fortran,
                      get<Bytes>(what, tree, arguments, 0, "data").data);
    }
    case Callable::ndarray:
      break;
  }
  refuse(what, "a direct call of numpy.ndarray");
}

// Fills a blank array, sets a dtype's byte order from a state tuple, or sets the attributes of an object.
void build(const std::string& what, Tree& tree, Ref target, Ref state_ref) {
  if (auto* const object = std::get_if<Opaque>(&tree.values[target])) {
    const auto* const pair = std::get_if<Tuple>(&tree[state_ref]);  // (attributes, slots)
    object->state = pair != nullptr && pair->items.size() == 2
                        ? pair->items[std::holds_alternative<Dict>(tree[pair->items[0]]) ? 0 : 1]
                        : state_ref;
    return;
  }
  const Value state_value = tree[state_ref];
  const Tuple* const state = std::get_if<Tuple>(&state_value);
  if (state == nullptr) refuse(what, describe(state_value) + " as the state of " + describe(tree[target]));
  if (auto* const type = std::get_if<NumberType>(&tree.values[target])) {  // (3, '<', None, None, None, -1, -1, 0)
    const auto mark = get<Text>(what, tree, *state, 1, "byte order").utf8;
    for (std::size_t k = 2; k <= 4; ++k) get<None>(what, tree, *state, k, "structure of a dtype");
    if (mark.size() != 1 || std::string_view("<>=|").find(mark[0]) == std::string_view::npos)
      refuse(what, "byte order '" + printable(mark) + "'");
    type->order = mark[0] == '>' && type->bytes > 1 ? ByteOrder::big : ByteOrder::little;
  } else if (std::holds_alternative<BlankArray>(tree[target])) {  // (1, shape, dtype, is_fortran, bytes)
    tree.values[target] =
        array_of(what, get<NumberType>(what, tree, *state, 2, "type"),
                 shape_of(what, tree, get<Tuple>(what, tree, *state, 1, "shape")),
                 get<bool>(what, tree, *state, 3, "memory order") ? MemoryOrder::fortran : MemoryOrder::c,
                 get<Bytes>(what, tree, *state, 4, "data").data);
  } else {
    refuse(what, "a state for " + describe(tree[target]));
  }
}

class ByteReader {
 public:
  ByteReader(const std::string& what, std::span<const std::byte> data) : what_(what), data_(data) {}

  std::span<const std::byte> take(std::uint64_t n) {
    if (n > data_.size() - at_) refuse(what_, "truncated: the file ends at byte " + std::to_string(data_.size()));
    const auto part = data_.subspan(at_, static_cast<std::size_t>(n));
    at_ += static_cast<std::size_t>(n);
    return part;
  }
  unsigned byte() { return std::to_integer<unsigned>(take(1)[0]); }
  std::uint64_t natural(std::size_t n_bytes) {  // little-endian
    std::uint64_t value = 0;
    const auto raw = take(n_bytes);
    for (std::size_t k = 0; k < n_bytes; ++k) value |= std::to_integer<std::uint64_t>(raw[k]) << (8 * k);
    return value;
  }
  std::string_view text(std::uint64_t n) {
    const auto raw = take(n);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  std::string_view text_line() {
    const auto rest = data_.subspan(at_);
    const void* const end = std::memchr(rest.data(), '\n', std::min<std::size_t>(rest.size(), 256));
    if (end == nullptr) refuse(what_, "a GLOBAL name without an end");
    const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data());
    const auto line = text(length);
    take(1);
    return line;
  }
  [[nodiscard]] std::size_t left() const { return data_.size() - at_; }

 protected:
  const std::string& what_;
  std::span<const std::byte> data_;

 private:
  std::size_t at_ = 0;
};

constexpr Ref kNoRef = std::numeric_limits<Ref>::max();

class Machine : public ByteReader {
 public:
  using ByteReader::ByteReader;

  Tree run();

  Ref make(Value value) {
    if (tree_.values.size() >= kMaxValues) refuse(what_, "more than " + std::to_string(kMaxValues) + " values");
    tree_.values.push_back(std::move(value));
    return static_cast<Ref>(tree_.values.size() - 1);
  }
  void push(Ref ref) {
    if (stack_.size() >= kMaxStack) refuse(what_, "more than " + std::to_string(kMaxStack) + " values on the stack");
    stack_.push_back(ref);
  }
  void push_new(Value value) { push(make(std::move(value))); }
  Ref pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse(what_, "an opcode without operand");
    const Ref ref = stack_.back();
    stack_.pop_back();
    return ref;
  }
  Ref top() {
    const Ref ref = pop();
    stack_.push_back(ref);
    return ref;
  }
  std::vector<Ref> pop_to_mark() {
    if (marks_.empty()) refuse(what_, "an opcode without mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Ref> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  template <class T>
  T& as(Ref ref, const char* expected) {
    T* const value = std::get_if<T>(&tree_.values[ref]);
    if (value == nullptr) refuse(what_, describe(tree_.values[ref]) + " where " + expected + " is required");
    return *value;
  }

  void mark() {
    if (marks_.size() >= kMaxMarks) refuse(what_, "nesting deeper than " + std::to_string(kMaxMarks));
    marks_.push_back(stack_.size());
  }
  void frame() {  // a hint for stream readers; only its length can be wrong
    if (natural(8) > left()) refuse(what_, "truncated: a frame longer than the file");
  }
  void push_tuple(std::size_t n) {
    Tuple tuple;
    tuple.items.resize(n);
    for (std::size_t k = n; k-- > 0;) tuple.items[k] = pop();
    push_new(std::move(tuple));
  }
  void append(const std::vector<Ref>& items) {
    auto& list = as<List>(top(), "a list").items;
    if (list.size() + items.size() > kMaxStack) refuse(what_, "a list of more than " + std::to_string(kMaxStack));
    list.insert(list.end(), items.begin(), items.end());
  }
  void set_items(const std::vector<Ref>& items) {
    auto& dict = as<Dict>(top(), "a dict").items;
    if (items.size() % 2 != 0) refuse(what_, "a dict with a key but no value");
    if (dict.size() + items.size() / 2 > kMaxStack) refuse(what_, "a dict of more than " + std::to_string(kMaxStack));
    for (std::size_t k = 0; k < items.size(); k += 2) dict.emplace_back(items[k], items[k + 1]);
  }
  void set_item() {
    const Ref value = pop();
    set_items({pop(), value});
  }
  void remember_next() { remember(memo_used_); }
  void remember(std::uint64_t slot) {
    if (slot >= kMaxMemo) refuse(what_, "memo slot " + std::to_string(slot));
    if (slot >= memo_.size()) {
      // Slots are at most the number of values so far: a single high slot must not reserve memory.
      if (slot > tree_.values.size()) refuse(what_, "memo slot " + std::to_string(slot) + " out of order");
      memo_.resize(static_cast<std::size_t>(slot) + 1, kNoRef);
    }
    memo_[static_cast<std::size_t>(slot)] = top();
    if (slot >= memo_used_) memo_used_ = slot + 1;
  }
  void recall(std::uint64_t slot) {
    if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kNoRef)
      refuse(what_, "memo slot " + std::to_string(slot) + " is empty");
    push(memo_[static_cast<std::size_t>(slot)]);
  }
  void push_long(std::size_t n_bytes) {
    if (n_bytes > 8) refuse(what_, "an integer of " + std::to_string(n_bytes) + " bytes");
    std::uint64_t value = natural(n_bytes);
    if (n_bytes > 0 && n_bytes < 8 && (value >> (8 * n_bytes - 1)) != 0) value |= ~std::uint64_t{0} << (8 * n_bytes);
    push_new(static_cast<std::int64_t>(value));
  }
  void push_float() {
    std::uint64_t bits = 0;
    for (const std::byte b : take(8))
      bits = (bits << 8) | std::to_integer<std::uint64_t>(b);  // big-endian, as defined by pickle
    push_new(std::bit_cast<double>(bits));
  }
  void stack_global() {
    const auto name = as<Text>(pop(), "a name").utf8;
    const auto module = as<Text>(pop(), "a module name").utf8;
    push_new(resolve(what_, module, name));
  }
  void global() {
    const auto module = text_line();
    push_new(resolve(what_, module, text_line()));
  }
  void call() {
    const Tuple arguments = as<Tuple>(pop(), "a tuple of arguments");
    const Ref called = pop();
    if (const auto* const type = std::get_if<Opaque>(&tree_.values[called])) {
      push_new(make_object(what_, tree_, *type, arguments));
      return;
    }
    push_new(reduce(what_, tree_, as<Callable>(called, "a callable"), arguments, data_.size()));
  }
  void new_object() {
    const Tuple arguments = as<Tuple>(pop(), "a tuple of arguments");
    push_new(make_object(what_, tree_, as<Opaque>(pop(), "a class of ARRUS"), arguments));
  }
  void apply_state() {
    const Ref state = pop();
    build(what_, tree_, top(), state);
  }

 private:
  Tree tree_;
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Ref> memo_;
  std::uint64_t memo_used_ = 0;
};

// Every accepted opcode and its action. STOP ('.') ends the loop in run().
struct Opcode {
  unsigned code;
  void (*run)(Machine&);
};

constexpr Opcode kOpcodes[] = {
    {'(', [](Machine& m) { m.mark(); }},
    {'}', [](Machine& m) { m.push_new(Dict{}); }},
    {']', [](Machine& m) { m.push_new(List{}); }},
    {')', [](Machine& m) { m.push_new(Tuple{}); }},
    {0x85, [](Machine& m) { m.push_tuple(1); }},
    {0x86, [](Machine& m) { m.push_tuple(2); }},
    {0x87, [](Machine& m) { m.push_tuple(3); }},
    {'t', [](Machine& m) { m.push_new(Tuple{m.pop_to_mark()}); }},
    {'a', [](Machine& m) { m.append({m.pop()}); }},
    {'e', [](Machine& m) { m.append(m.pop_to_mark()); }},
    {'s', [](Machine& m) { m.set_item(); }},
    {'u', [](Machine& m) { m.set_items(m.pop_to_mark()); }},
    {'q', [](Machine& m) { m.remember(m.byte()); }},
    {'r', [](Machine& m) { m.remember(m.natural(4)); }},
    {0x94, [](Machine& m) { m.remember_next(); }},
    {'h', [](Machine& m) { m.recall(m.byte()); }},
    {'j', [](Machine& m) { m.recall(m.natural(4)); }},
    {0x95, [](Machine& m) { m.frame(); }},
    {'N', [](Machine& m) { m.push_new(None{}); }},
    {0x88, [](Machine& m) { m.push_new(true); }},
    {0x89, [](Machine& m) { m.push_new(false); }},
    {'K', [](Machine& m) { m.push_new(static_cast<std::int64_t>(m.byte())); }},
    {'M', [](Machine& m) { m.push_new(static_cast<std::int64_t>(m.natural(2))); }},
    {'J', [](Machine& m) { m.push_long(4); }},
    {0x8a, [](Machine& m) { m.push_long(m.byte()); }},
    {'G', [](Machine& m) { m.push_float(); }},
    {0x8c, [](Machine& m) { m.push_new(Text{m.text(m.byte())}); }},
    {'X', [](Machine& m) { m.push_new(Text{m.text(m.natural(4))}); }},
    {'C', [](Machine& m) { m.push_new(Bytes{m.take(m.byte())}); }},
    {'B', [](Machine& m) { m.push_new(Bytes{m.take(m.natural(4))}); }},
    {0x8e, [](Machine& m) { m.push_new(Bytes{m.take(m.natural(8))}); }},
    {0x96, [](Machine& m) { m.push_new(Bytes{m.take(m.natural(8))}); }},
    {'c', [](Machine& m) { m.global(); }},
    {0x93, [](Machine& m) { m.stack_global(); }},
    {'R', [](Machine& m) { m.call(); }},
    {0x81, [](Machine& m) { m.new_object(); }},
    {'b', [](Machine& m) { m.apply_state(); }},
};

std::string opcode_name(unsigned opcode) {
  struct Named {
    unsigned code;
    const char* name;
  };
  static constexpr Named kNames[] = {{'P', "PERSID"},
                                     {'Q', "BINPERSID"},
                                     {'i', "INST"},
                                     {'o', "OBJ"},
                                     {0x92, "NEWOBJ_EX"},
                                     {0x82, "EXT1"},
                                     {0x83, "EXT2"},
                                     {0x84, "EXT4"},
                                     {0x97, "NEXT_BUFFER"},
                                     {0x98, "READONLY_BUFFER"},
                                     {'0', "POP"},
                                     {'1', "POP_MARK"},
                                     {'2', "DUP"},
                                     {'I', "INT"},
                                     {'L', "LONG"},
                                     {'F', "FLOAT"},
                                     {'S', "STRING"},
                                     {'T', "BINSTRING"},
                                     {'U', "SHORT_BINSTRING"},
                                     {'V', "UNICODE"},
                                     {'p', "PUT"},
                                     {'g', "GET"},
                                     {'d', "DICT"},
                                     {'l', "LIST"},
                                     {0x80, "PROTO"},
                                     {0x8b, "LONG4"},
                                     {0x8d, "BINUNICODE8"},
                                     {0x8f, "EMPTY_SET"},
                                     {0x90, "ADDITEMS"},
                                     {0x91, "FROZENSET"}};
  for (const Named& named : kNames)
    if (named.code == opcode) return named.name;
  return std::to_string(opcode);
}

Tree Machine::run() {
  if (byte() != 0x80) refuse(what_, "no protocol mark at the start");
  const unsigned protocol = byte();
  if (protocol < 2 || protocol > 5) refuse(what_, "pickle protocol " + std::to_string(protocol));
  for (unsigned code = byte(); code != '.'; code = byte()) {
    const auto* const opcode = std::ranges::find(kOpcodes, code, &Opcode::code);
    if (opcode == std::end(kOpcodes)) refuse(what_, "pickle opcode " + opcode_name(code));
    opcode->run(*this);
  }
  tree_.root = pop();
  return std::move(tree_);
}

}  // namespace

Tree load(const std::string& what, std::span<const std::byte> data) { return Machine(what, data).run(); }

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
