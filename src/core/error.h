// The exceptions of the program: bad input and failed set-up, and what ends a run, as one readable line.
// Why: every refusal names what was looked at, what was found and what would be accepted, so that
// the command line (exit status 2; of a Fault 1) and the message line of the window can show it unchanged.
#pragma once

#include <stdexcept>
#include <string>

namespace echoloop {

class Error : public std::runtime_error {
 public:
  // what: the file, option or field; found: what was there; accepted: the rule; hint: how to go on (may be empty).
  // Line breaks in the parts become spaces: the message is always one line, of plain_text().
  Error(const std::string& what, const std::string& found, const std::string& accepted, const std::string& hint = {});

  // An Error from the whole line of another one (of another process).
  static Error from_line(const std::string& line) { return Error(line); }

 private:
  explicit Error(const std::string& line);
};

// What ends a run of valid input: a full disk, a pipe without a reader, a signal. The same line; exit status 1.
class Fault : public Error {
 public:
  using Error::Error;
};

// Refusals of one value by name, in the two sentences that options, parameters and file fields share.
// Why: "f_number = 99 is out of range (0 to 10)" reads the same wherever the value came from.
// Any thread. An Error with other parts (a file, a hint) is built by the constructor in core/error.h.

// "NAME = VALUE is out of range (RANGE)"
[[nodiscard]] Error out_of_range(const std::string& name, const std::string& value, const std::string& range);

// "NAME = 'VALUE' is not valid; expected EXPECTED"
[[nodiscard]] Error invalid_value(const std::string& name, const std::string& value, const std::string& expected);

}  // namespace echoloop
