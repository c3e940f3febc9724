#include "formats/containers/pickle.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "formats/containers/pickle_numpy.h"

namespace echoloop::pickle {
namespace {

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
  void frame() {  // a hint for readers of streams; only its length can be wrong
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
      // The highest slot a writer can use is the number of values so far: a lone high slot must not reserve memory.
      if (slot > tree_.values.size()) refuse(what_, "memo slot " + std::to_string(slot) + " out of order");
      memo_.resize(static_cast<std::size_t>(slot) + 1, kNoRef);
    }
    memo_[static_cast<std::size_t>(slot)] = top();
    if (slot >= memo_used_) memo_used_ = slot + 1;
  }
  void recall(std::uint64_t slot) {
    if (slot >= memo_.size() || memo_[static_cast<std::size_t>(slot)] == kNoRef) {
      refuse(what_, "memo slot " + std::to_string(slot) + " is empty");
    }
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
      bits = (bits << 8) | std::to_integer<std::uint64_t>(b);  // big-endian, as pickle has it
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

// Every opcode that is accepted, and all that it does. STOP ('.') ends the loop in run().
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
  for (const Named& named : kNames) {
    if (named.code == opcode) return named.name;
  }
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

}  // namespace echoloop::pickle
