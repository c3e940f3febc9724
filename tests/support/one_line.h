// Refusals are one line each and name their object; these functions check both, and contents of other texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace echoloop::testing {

inline ::testing::AssertionResult contains(std::string_view text, std::string_view words) {
  if (text.find(words) != std::string_view::npos)
    return ::testing::AssertionSuccess() << "'" << words << "' in: " << text;
  return ::testing::AssertionFailure() << "no '" << words << "' in: " << text;
}

// Returns the message of the Error thrown by `action`, or "no error".
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Returns the message of the Error thrown by `action`; fails if it throws none or another type.
template <class Action>
std::string refusal_of(Action&& action) {
  const std::string text = error_of(action);
  EXPECT_NE(text, "no error") << "nothing was refused";
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

template <class Action>
void expect_refusal(Action&& action, const std::string& naming) {
  const std::string text = refusal_of(action);
  EXPECT_TRUE(contains(text, naming));
}

}  // namespace echoloop::testing
