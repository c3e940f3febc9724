// Every member of a plain struct, at any depth, as text by its path, including those added later.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/results/live_images.h"
#include "gui/state/analysis_views.h"

namespace echoloop::testing {

using MemberTexts = std::map<std::string, std::string>;

namespace each_member {

struct Any {
  template <class T>
  operator T() const;  // NOLINT: it stands for a member of any type, for counting
};

template <class T, class... Members>
constexpr std::size_t count() {
  if constexpr (requires { T{Members()..., Any()}; }) {
    return count<T, Members..., Any>();
  } else {
    return sizeof...(Members);
  }
}

// Calls `act` with references to all members.
template <class T, class Act>
void with_members(const T& s, const Act& act) {
  constexpr std::size_t n = count<T>();
  static_assert(n <= 32, "more members than are listed here");
#define ECHO_MEMBERS(number, ...)  \
  if constexpr (n == number) {     \
    const auto& [__VA_ARGS__] = s; \
    act(__VA_ARGS__);              \
  } else
  // clang-format off
  ECHO_MEMBERS(1, a)
  ECHO_MEMBERS(2, a, b)
  ECHO_MEMBERS(3, a, b, c)
  ECHO_MEMBERS(4, a, b, c, d)
  ECHO_MEMBERS(5, a, b, c, d, e)
  ECHO_MEMBERS(6, a, b, c, d, e, f)
  ECHO_MEMBERS(7, a, b, c, d, e, f, g)
  ECHO_MEMBERS(8, a, b, c, d, e, f, g, h)
  ECHO_MEMBERS(9, a, b, c, d, e, f, g, h, i)
  ECHO_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
  ECHO_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
  ECHO_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  ECHO_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  ECHO_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  ECHO_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  ECHO_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
  ECHO_MEMBERS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r)
  ECHO_MEMBERS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t)
  ECHO_MEMBERS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u)
  ECHO_MEMBERS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v)
  ECHO_MEMBERS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w)
  ECHO_MEMBERS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x)
  ECHO_MEMBERS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y)
  ECHO_MEMBERS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z)
  ECHO_MEMBERS(25, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A)
  ECHO_MEMBERS(26, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B)
  ECHO_MEMBERS(27, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C)
  ECHO_MEMBERS(28, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C, D)
  ECHO_MEMBERS(29, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C, D, E)
  ECHO_MEMBERS(30, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C, D, E, F)
  ECHO_MEMBERS(31, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C, D, E, F, G)
  ECHO_MEMBERS(32, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, r, t, u, v, w, x, y, z, A, B, C, D, E, F, G, H)
  // clang-format on
  {}
#undef ECHO_MEMBERS
}

// Returns "echoloop::Cine" of "auto ... [with T = echoloop::Cine; ...]".
template <class T>
std::string name_of() {
  const std::string_view all = __PRETTY_FUNCTION__;
  const std::size_t from = all.find("T = ") + 4;
  std::string name(all.substr(from, all.find_first_of(";]", from) - from));
  return name.substr(name.rfind(':') + 1);
}

}  // namespace each_member

// For pointers, records only if they are null.
template <class T>
void put_members(MemberTexts& to, const std::string& path, const T& value) {
  if constexpr (std::is_same_v<T, std::filesystem::path>) {
    to[path] = value.string();
  } else if constexpr (std::is_enum_v<T>) {
    to[path] = std::to_string(static_cast<int>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    to[path] = std::to_string(value);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    if constexpr (std::is_pointer_v<T>) {
      to[path] = value == nullptr ? "" : value;
    } else {
      to[path] = std::string_view(value);
    }
  } else if constexpr (requires { value.list(); }) {
    put_members(to, path, value.list());
  } else if constexpr (std::ranges::range<T>) {
    to[path] = std::to_string(std::ranges::size(value));
    std::size_t i = 0;
    for (const auto& each : value) put_members(to, path + "[" + std::to_string(i++) + "]", each);
  } else if constexpr (requires { value.first, value.second; }) {
    put_members(to, path + ".first", value.first);
    put_members(to, path + ".second", value.second);
  } else if constexpr (requires { value.has_value(); }) {
    to[path] = value.has_value() ? "some" : "none";
    if (value.has_value()) put_members(to, path, *value);
  } else if constexpr (std::is_same_v<T, AnalysisViews>) {
    put_members(to, path + "/FlowView", value.template of<FlowView>());
    put_members(to, path + "/ObjectView", value.template of<ObjectView>());
    put_members(to, path + "/SpectrogramView", value.template of<SpectrogramView>());
    put_members(to, path + "/SoundSpeedView", value.template of<SoundSpeedView>());
    const auto put_all = [&](const auto&... counts) { (put_members(to, path + "/counts", counts), ...); };
    std::apply(put_all, value.template of<AnalysisCounts>());
  } else if constexpr (std::is_same_v<T, FactValue>) {
    to[path] = to_text(value);
  } else if constexpr (std::is_aggregate_v<T>) {
    int i = 0;
    each_member::with_members(value, [&](const auto&... member) {
      (put_members(to, path + "/" + each_member::name_of<T>() + "." + std::to_string(++i), member), ...);
    });
  } else {
    to[path] = static_cast<bool>(value) ? "something" : "nothing";
  }
}

}  // namespace echoloop::testing
