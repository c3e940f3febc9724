// The messages of the program: severity, time, how long each stays in the line below the window, and the list of them.
// An error stays until it is dismissed or its cause is gone: an error with a cause is resolved by the success of the
// same action, and replaced by the next error of the same cause. Pure; UI thread only.
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
  passing,    // for a few seconds: why a key has no effect here
  resolved    // no longer: its cause is gone
};

struct Message {
  Severity severity = Severity::info;
  std::string clock = {};  // "14:32:07"
  std::string text = {};   // one line
  std::string cause = {};  // of an error or a warning: resolved by this name; empty = only dismissed
  Stay stay = Stay::as_newest;
};

// Severity where it is not info, text, and whether it is resolved.
[[nodiscard]] std::string message_words(const Message& message);
// With the time in front, as in the clipboard.
[[nodiscard]] std::string message_line(const Message& message);

// Of the run, the newest first; beyond kMost the oldest are removed and counted.
class MessageLog {
 public:
  static constexpr std::size_t kMost = 200;

  void post(Message message);
  void resolve(std::string_view cause);  // errors and warnings; an empty cause: none
  void dismiss(std::size_t index);       // beyond the end: nothing
  void clear() { *this = {}; }

  [[nodiscard]] const std::vector<Message>& list() const { return list_; }
  [[nodiscard]] std::size_t removed() const { return removed_; }  // older ones, for lack of room
  // All in the list, one a line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Message> list_;
  std::size_t removed_ = 0;
};

// The one in the message line: the newest error that stays, else the newest message that stays. None: nothing.
[[nodiscard]] std::optional<std::size_t> standing(const std::vector<Message>& messages);

}  // namespace echoloop
