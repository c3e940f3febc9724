// Exceptions of the program: invalid input, failed set-up, and faults that end a run, each as one readable line. Every
// refusal names the object, the value found and the accepted values, so that the command line (exit status 2; of a
// Fault 1) and the message line of the window can show it unchanged.
#pragma once

#include <stdexcept>
#include <stop_token>
#include <string>

namespace echoloop {

class Error : public std::runtime_error {
 public:
  // what: file, option or field; found: its value; accepted: the rule; hint: remedy (may be empty). Line breaks in the
  // parts become spaces: the message is always one line, of plain_text().
  Error(const std::string& what, const std::string& found, const std::string& accepted, const std::string& hint = {});

  // Returns an Error from the line of another one (of another process).
  static Error from_line(const std::string& line) { return Error(line); }

 private:
  explicit Error(const std::string& line);
};

// Fault that ends a run of valid input: a full disk, a pipe without a reader, a signal. The same line; exit status 1.
class Fault : public Error {
 public:
  using Error::Error;
};

// Refusals of one named value, in the two forms shared by options, parameters and file fields: "f_number = 99 is out of
// range (0 to 10)" for every source of the value. Any thread. Errors with other parts (a file, a hint) use the
// constructor of Error.

// Returns "NAME = VALUE is out of range (RANGE)".
[[nodiscard]] Error out_of_range(const std::string& name, const std::string& value, const std::string& range);

// Returns "NAME = 'VALUE' is not valid; expected EXPECTED".
[[nodiscard]] Error invalid_value(const std::string& name, const std::string& value, const std::string& expected);

// End of long work: tables of very large images need seconds, on one thread, and a program that ends does not wait for
// them. Process-wide. Any thread.

void end_long_work();    // makes check_long_work() throw from now on; may be called in a signal handler
void check_long_work();  // throws Fault after the end; call regularly in long work
[[nodiscard]] bool long_work_ended();

// Makes check_long_work() on this thread also throw once `stop` is requested, during the object's lifetime.
class LongWork {
 public:
  explicit LongWork(std::stop_token stop);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  std::stop_token before_;
};

}  // namespace echoloop
