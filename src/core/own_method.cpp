#include "core/own_method.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mutex>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

std::mutex loaded_mutex;
std::shared_ptr<const OwnMethod>& loaded() {
  static std::shared_ptr<const OwnMethod> method;
  return method;
}

OwnRows own_rows(const FormationParams& params) {
  return params.adaptive == Adaptive::own && params.own != nullptr ? params.own->rows : OwnRows::none;
}

std::string plain_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::uint32_t first_bits(long double root) {
  return static_cast<std::uint32_t>((root - static_cast<long double>(static_cast<std::uint64_t>(root))) * 0x1p32L);
}

}  // namespace

std::shared_ptr<const OwnMethod> loaded_own_method() {
  const std::scoped_lock lock(loaded_mutex);
  return loaded();
}

void load_own_method(std::shared_ptr<const OwnMethod> method) {
  const std::scoped_lock lock(loaded_mutex);
  loaded() = std::move(method);
}

std::string option_of(const OwnMethod& method) {
  return method.process != nullptr ? std::string(kPythonMethod) + method.name : method.file.string();
}

void set_own_method(FormationParams& params, const std::shared_ptr<const OwnMethod>& method) {
  const std::shared_ptr<const OwnMethod> before = params.own;
  const auto values = params.own_values;
  params.own = method;
  params.own_values = {};
  if (method == nullptr) return;
  for (std::size_t k = 0; k < method->parameters.size(); ++k) {
    const OwnParameter& p = method->parameters[k];
    params.own_values[k] = p.value;
    if (before == nullptr) continue;
    const auto same = std::ranges::find(before->parameters, p.name, &OwnParameter::name);
    if (same == before->parameters.end()) continue;
    const double value = values[static_cast<std::size_t>(same - before->parameters.begin())];
    if (value != same->value) params.own_values[k] = std::clamp(value, p.min, p.max);
  }
}

void set_own_value(FormationParams& params, const std::string& key, const std::string& text) {
  if (params.own == nullptr) set_own_method(params, loaded_own_method());
  if (params.own == nullptr) throw Error("--set", "'" + key + "' without a method", "--method FILE");
  const auto& all = params.own->parameters;
  const auto found = std::ranges::find_if(all, [&](const OwnParameter& p) { return "own." + p.name == key; });
  if (found == all.end()) {
    std::string names;
    for (const OwnParameter& p : all) names += (names.empty() ? "own." : ", own.") + p.name;
    throw Error("--set", "unknown parameter '" + key + "'",
                names.empty() ? "none: " + params.own->name + " declares no parameter" : names);
  }
  const std::string range = plain_number(found->min) + " to " + plain_number(found->max);
  const auto value = finite_number(text);
  if (!value) throw invalid_value(key, text, "a number from " + range);
  if (*value < found->min || *value > found->max) throw out_of_range(key, text, range);
  params.own_values[static_cast<std::size_t>(found - all.begin())] = *value;
}

std::vector<std::string> own_settings(const FormationParams& params) {
  std::vector<std::string> settings;
  if (params.adaptive != Adaptive::own || params.own == nullptr) return settings;
  for (std::size_t k = 0; k < params.own->parameters.size(); ++k)
    settings.push_back("own." + params.own->parameters[k].name + "=" + plain_number(params.own_values[k]));
  return settings;
}

std::string sha256(std::string_view bytes) {
  // Constants: fractions of the square and cube roots of the first primes.
  std::array<std::uint32_t, 64> k{};
  std::array<std::uint32_t, 8> h{};
  std::size_t n_primes = 0;
  for (unsigned candidate = 2; n_primes < k.size(); ++candidate) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (!prime) continue;
    if (n_primes < h.size()) h[n_primes] = first_bits(std::sqrt(static_cast<long double>(candidate)));
    k[n_primes++] = first_bits(std::cbrt(static_cast<long double>(candidate)));
  }
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>((bytes.size() * 8) >> shift & 0xff);
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(padded[block + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::array<std::uint32_t, 8> v = h;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t a = v[0], e = v[4];
      const std::uint32_t one =
          v[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
      const std::uint32_t two =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
      v = {one + two, a, v[1], v[2], v[3] + one, e, v[5], v[6]};
    }
    for (std::size_t i = 0; i < h.size(); ++i) h[i] += v[i];
  }
  std::string text;
  for (const std::uint32_t word : h) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

std::string method_channels(const FormationParams& params) {
  if (params.adaptive == Adaptive::own && params.own != nullptr && params.own->process != nullptr)
    return "another program";
  const bool weight = has_axes(params), rows = reads_rows(params);
  if (weight && params.adaptive_axis == AdaptiveAxis::transmits) return "coherence over transmits";
  if (weight && params.adaptive_axis == AdaptiveAxis::both) return "coherence over elements and transmits";
  const bool compounded = rows || params.adaptive_order == AdaptiveOrder::compounded;
  const char* const coherence = weight || rows ? "coherence " : "";
  return std::string(coherence) + (compounded ? "over elements, transmits summed" : "over elements, per transmit");
}

bool reads_rows(const FormationParams& params) {
  return reads_rows(params.adaptive) || own_rows(params) != OwnRows::none;
}

bool is_coherence(const FormationParams& params) {
  return row_of(params.adaptive).result == MethodResult::coherence || own_rows(params) == OwnRows::coherence;
}

bool reads_row_channels(const FormationParams& params) {
  return params.adaptive == Adaptive::minimum_variance || own_rows(params) == OwnRows::channels;
}

bool has_axes(const FormationParams& params) { return is_weight(params.adaptive) && !reads_rows(params); }

bool makes_mask(const FormationParams& params) {
  return params.adaptive == Adaptive::own && params.own != nullptr && !params.own->labels.empty();
}

bool has_factor(const FormationParams& params) {
  if (is_coherence(params)) return true;
  const bool own_pixels = params.adaptive == Adaptive::own && params.own != nullptr && params.own->replaces;
  return has_factor(params.adaptive) && !own_pixels;
}

}  // namespace echoloop
