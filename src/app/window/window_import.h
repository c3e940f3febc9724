// The import assistant: reads what a file holds, keeps the answers in a draft, asks for a preview after each change,
// saves the description and opens the file with it. Fills UiState::import. UI thread only.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/window/import_contents.h"
#include "app/window/import_previewer.h"
#include "app/window/window_opening.h"
#include "app/window/window_parts.h"
#include "core/error.h"

namespace echoloop {

class WindowImport {
 public:
  WindowImport(WindowParts& parts, WindowOpening& opening) : parts_(parts), opening_(opening) {}

  // The file did not open: the assistant opens where a description could help, otherwise `refuse` gets the error.
  // False: it is not for the assistant.
  bool offer(const std::filesystem::path& file, const Error& why, std::function<void(const Error&)> refuse);
  void execute(const ImportOrder& order);  // throws Error
  void look();                             // each window frame; throws Error where nothing else is open
  [[nodiscard]] bool busy() const { return reading_ != nullptr || (previewer_ != nullptr && previewer_->busy()); }
  void close();  // another source was opened
  // Calls `open` for the file `next`: now, or after a question where answers about another file are not saved.
  void replace(const std::filesystem::path& next, std::function<void()> open);
  [[nodiscard]] bool used() const { return previewer_ != nullptr; }  // since the program began

 private:
  struct Reading {
    std::filesystem::path file;
    std::optional<Error> why;                  // of a file that did not open
    std::function<void(const Error&)> refuse;  // of it
    std::atomic<bool> done{false};
    std::optional<ImportContents> contents;  // until `done` the thread's
    std::string error;
    std::jthread thread;
  };

  void read(const std::filesystem::path& file, std::optional<Error> why, std::function<void(const Error&)> refuse);
  void take_contents();
  void begin_draft(const Reading& reading);
  void change(const std::function<std::string(ImportDraft&)>& edit, const std::string& field);
  void ask_preview();
  void take_preview(PreviewResult result);
  void say_effect(const Image& before, const Image& now);
  void fill();
  void place_fields();
  void keep(const std::string& id);
  void leave();
  void save();
  void open_file();
  [[nodiscard]] std::string missing_facts() const;  // without which nothing opens
  [[nodiscard]] std::string why_not_open() const;   // a fact is missing, or no image can be made of those there are

  WindowParts& parts_;
  WindowOpening& opening_;
  std::shared_ptr<Reading> reading_;
  std::unique_ptr<ImportPreviewer> previewer_;
  std::filesystem::path file_;
  std::optional<ImportDraft> draft_;
  std::optional<RawGuess> raw_;
  std::function<void()> next_;  // while the question stands: ImportState::next
  std::string first_bytes_;
  std::string target_;             // name of the description beside the file; empty: its folder cannot be written
  std::string wrong_description_;  // why one beside the file was not taken
  static constexpr std::size_t kMostLeft = 16;
  std::map<std::string, ImportDraft> left_;     // by path: of files that were left without an end
  std::map<std::string, std::string> refused_;  // by id: why the last answer was not taken
  std::set<std::string> kept_;                  // doubts that were dismissed
  struct Place {
    ImportGroup section;
    std::string reason = {};
    bool drawn = false;
  };
  std::map<std::string, Place> places_;  // by id: where a field stands
  struct {
    std::uint64_t number = 0, frame = 0;
    int transmit = 0;
    std::string change;  // of the choice
    std::vector<Doubt> doubts;
    std::optional<EchoSpectrum> spectrum;
  } shown_;
};

}  // namespace echoloop
