// The source that is being opened, what it is opened for, and the question to the user where the system offers no
// sandbox. UI thread only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/options/setup.h"
#include "app/session_file.h"
#include "app/window/source_opener.h"
#include "app/window/window_parts.h"
#include "formats/open_recording.h"

namespace echoloop {

class WindowOpening {
 public:
  enum class Current { is_replaced, becomes_a };  // the source in use; A: side A of the comparison
  struct Purpose {
    std::shared_ptr<const SavedSession> session = {};  // to restore; null: none
    std::optional<Setup> setup = {};                   // of a reset, for this source
    Current current = Current::is_replaced;
    std::string refused = {};  // why the source of the command line, in whose place this one is opened, was not
  };

  explicit WindowOpening(WindowParts& parts) : parts_(parts) {}

  void open(const std::string& name, const Facts& facts = {}) { open(name, facts, Purpose()); }
  // The scanner in use, or the one that is waited for, keeps its address: it is not opened again, but goes on. A reset
  // does not open the source in use again either.
  void open(const std::string& name, const Facts& facts, Purpose purpose);
  // Recordings, sessions; unfinished recordings after repair. Throws Error.
  void open_file(const std::filesystem::path& file);
  void open_phantom(const std::string& text);  // of parse_phantom()
  void open_lesson(const std::string& name);   // a session in assets/lessons
  // Waits for a sender on another machine; makes the token file where there is none.
  void open_network_scanner(std::uint16_t port);
  void open_again() { opener_.open_again(); }
  void open_again(OpenedSource source, Purpose purpose);  // that was in use before
  void cancel();
  [[nodiscard]] std::optional<LiveWaiting> scanner() const { return opener_.waiting(); }  // that is waited for
  [[nodiscard]] bool busy() const { return opener_.busy() || known_.has_value(); }
  [[nodiscard]] const std::string& name() const { return opener_.name(); }
  [[nodiscard]] double fraction() const { return opener_.fraction(); }

  // The result, once it is there; until then its progress is shown. Its purpose stays until it is taken or dropped.
  [[nodiscard]] std::optional<SourceOpener::Result> take();
  [[nodiscard]] Purpose take_purpose() { return std::exchange(purpose_, {}); }
  [[nodiscard]] bool replaces() const { return purpose_.current == Current::is_replaced; }
  void drop_purpose() { purpose_ = {}; }

  void offer_repair();  // of the newest recording that a killed program has left where this one records

 private:
  [[nodiscard]] bool uses_scanner(const std::string& name) const;

  WindowParts& parts_;
  SourceOpener opener_;
  std::optional<OpenedSource> known_;  // that was asked for once more
  Purpose purpose_;
};

}  // namespace echoloop
