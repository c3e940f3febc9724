#include "formats/readers/description_json.h"

#include <set>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "formats/base/mapping.h"

namespace echoloop {
namespace {

constexpr const char* kWanted = "a description {...} of an array";
constexpr std::size_t kMaxJsonDepth = 64;

// Limits for all objects together: 16384 transmits have at most 7 keys each.
constexpr std::size_t kMostKeys = 120'000, kMostKeyBytes = std::size_t{1} << 20;

// Checks the text once, in linear time, and refuses input that the library would accept: unlimited nesting, more values
// than the memory is meant for, more keys than any scan has, and duplicate keys.
class Checker final : public Json::json_sax_t {
 public:
  Checker(const std::string& what, std::size_t most) : what_(what), left_(most) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override { return begin(); }
  bool key(string_t& name) override {
    key_bytes_ += name.size();
    if (++n_keys_ > kMostKeys || key_bytes_ > kMostKeyBytes) {
      throw Error(what_, "JSON with more than " + std::to_string(n_keys_ - 1) + " keys",
                  "up to " + std::to_string(kMostKeys) + " keys of 1 MiB together");
    }
    if (keys_.back().insert(name).second) return true;
    throw Error(what_, "JSON with the key '" + printable(name, 40) + "' twice", kWanted);
  }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;  // the main parser reports the error
  }

 private:
  bool count() {
    if (left_-- > 0) return true;
    throw Error(what_, "JSON with more values than any scan has", kWanted);
  }
  bool begin() {
    count();
    keys_.emplace_back();
    if (keys_.size() > kMaxJsonDepth)
      throw Error(what_, "JSON nested deeper than " + std::to_string(kMaxJsonDepth), kWanted);
    return true;
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  const std::string& what_;
  std::size_t left_;                         // number of further values allowed
  std::size_t n_keys_ = 0, key_bytes_ = 0;   // so far
  std::vector<std::set<std::string>> keys_;  // of each open object; empty for a list
};

}  // namespace

Json parse_description(const std::string& what, std::span<const std::byte> bytes, const DescriptionLimits& limits) {
  if (bytes.size() > limits.bytes) {
    throw Error(what, "JSON of " + std::to_string(bytes.size()) + " bytes",
                "up to " + std::to_string(limits.bytes >> 20) + " MiB");
  }
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  Checker checker(what, limits.values);
  try {
    constexpr bool kComments = true;  // as printed by `echoloop describe`
    static_cast<void>(
        Json::sax_parse(text, text + bytes.size(), &checker, Json::input_format_t::json, true, kComments));
    Json meta = Json::parse(text, text + bytes.size(), nullptr, true, kComments);
    if (!meta.is_object()) throw Error(what, "JSON that is not an object", kWanted);
    return meta;
  } catch (const Json::exception& error) {
    const std::string_view reason = error.what();  // "[json.exception.parse_error.101] parse error at line ..."
    throw Error(what, "invalid JSON: " + printable(reason.substr(reason.find(']') + 2), 160), kWanted);
  }
}

bool describes(const Json& description, const std::string& file_name, SidecarKind kind) {
  const auto named = description.find("file");
  if (named != description.end()) return named->is_string() && named->get<std::string>() == file_name;
  return kind == SidecarKind::own &&
         (description.contains("axes") || description.contains("dtype") || is_explicit(description));
}

bool is_explicit(const Json& description) {
  const auto data = description.find("data");
  return data != description.end() && data->is_string();
}

}  // namespace echoloop
