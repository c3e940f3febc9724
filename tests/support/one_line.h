// Refusals are one line each and name what was refused; this checks both.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace echoloop::testing {

// The message of the Error that `action` throws; fails when it throws none or another type.
template <class Action>
std::string refusal_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

template <class Action>
void expect_refusal(Action&& action, const std::string& naming) {
  const std::string text = refusal_of(action);
  EXPECT_NE(text.find(naming), std::string::npos) << "'" << text << "' does not name '" << naming << "'";
}

}  // namespace echoloop::testing
