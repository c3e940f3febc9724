// The lines that the program says: what they are, how long each stays in the line below the window, and the few rules
// for a list of them, newest first. An error stays until it is dismissed or its cause is gone: an error with a cause is
// resolved by what mends that, and replaced by the next error of the same cause. Pure; UI thread only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

enum class Severity { info, warning, error };

// In the line below the window; the list keeps every message.
enum class Stay {
  as_newest,  // until the next one; an error: until it is dismissed
  passing,    // for a few seconds: why a key cannot act here
  resolved    // no longer: its cause is gone
};

struct Message {
  Severity severity = Severity::info;
  std::string clock = {};  // "14:32:07"
  std::string text = {};   // one line
  std::string cause = {};  // of an error or a warning: what resolves it; empty = only the user does
  Stay stay = Stay::as_newest;
};

void post(std::vector<Message>& messages, Message message);
void resolve(std::vector<Message>& messages, std::string_view cause);  // errors and warnings

// Which one belongs into the line: the newest error that stands, else the newest message that stays. None: nothing.
[[nodiscard]] std::optional<std::size_t> standing(const std::vector<Message>& messages);

}  // namespace echoloop
