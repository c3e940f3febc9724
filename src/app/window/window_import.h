// The import assistant: reads what a file holds, keeps the answers in a draft, asks for a preview after each change,
// saves the description and opens the file with it. Fills WindowState::import. UI thread only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "app/window/engine.h"
#include "app/window/window_opening.h"
#include "backend/backend.h"
#include "core/error.h"
#include "core/results/image.h"
#include "formats/base/echo_spectrum.h"
#include "formats/import_draft.h"
#include "gui/state/import_state.h"

namespace echoloop {

// One frame of a file, formed with a description as the file would open with it: read by the reader process, processed
// by a stream of one frame as without a window. On a thread of its own, always for the newest task. UI thread only.

struct PreviewTask {
  std::uint64_t number = 0;  // of the choice
  std::string file, description;
  std::uint64_t frame = 0;
  int transmit = 0;
};

struct PreviewResult {
  std::uint64_t number = 0;
  std::shared_ptr<const Image> image = {};  // with host pixels; null: `error`
  ImportTraces traces = {};
  std::vector<Doubt> doubts = {};
  std::optional<EchoSpectrum> spectrum = {};
  std::uint64_t n_frames = 0;
  double took_ms = 0.0;
  std::string error = {};
};

// The samples of one transmit of a frame, at most a few hundred rows.
ImportTraces traces_of(const Acquisition& a, std::span<const std::byte> frame, int transmit);

// What the previewer does, in the calling thread. Throws Error.
PreviewResult form_preview(const PreviewTask& task, Backend& backend, const ImagingOptions& options,
                           const std::stop_token& stop);

class ImportPreviewer {
 public:
  ImportPreviewer(const ImagingOptions& options, BackendChoice backend);
  ~ImportPreviewer();

  void ask(PreviewTask task);  // a task that is not begun is replaced, one under way is stopped
  void forget();               // all tasks
  std::optional<PreviewResult> take();
  [[nodiscard]] bool busy() const;

 private:
  void run(const std::stop_token& stop);

  const ImagingOptions& options_;
  const BackendChoice backend_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::optional<PreviewTask> wanted_;
  std::optional<PreviewResult> result_;
  std::stop_source current_;
  bool working_ = false;
  std::jthread thread_;
};

// The rows of the import assistant: each fact of the draft with its origin, what is asked about it, and the doubts that
// the samples raise; and what it shows of raw bytes. UI thread only.

struct ImportFindings {
  const ImportDraft& draft;
  const std::vector<Doubt>& doubts;
  const std::optional<EchoSpectrum>& spectrum;
  const std::set<std::string>& kept;                  // ids of doubts that were dismissed
  const std::map<std::string, std::string>& refused;  // by id: why the last answer was not taken
  bool lists_axes;                                    // a row was there for them
};

// Fills `fields` and `spectrum`; in the section of their group.
void fill_import_fields(const ImportFindings& found, ImportState& state);

// "Elements"; of lines that are beamformed already "Lines".
[[nodiscard]] std::string question_label(const ImportDraft& draft, const OpenQuestion& open);

// `refused`: by key, why the last answer was not taken.
ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused);

// The import assistant's files: what one holds before any answer, and where its description is saved. Any thread.

// What the assistant knows of a file before any answer.
struct ImportContents {
  FileOutline outline;
  std::optional<RawGuess> raw;  // of a file without a container
  struct Description {
    std::string name, text;  // of its file; empty: none
  };
  Description description = {};  // that the file opens with
  Description example = {};      // of another file in its folder, if it does not open alone
};
// Reads it, by the reader process. Throws Error.
ImportContents read_contents(const std::filesystem::path& file, std::stop_token stop = {});
// Whether a file that did not open could open with a description.
bool could_be_described(const std::filesystem::path& file, const ImportContents& contents);
ImportDraft make_draft(const std::filesystem::path& file, const ImportContents& contents);

// Writes the description beside the file, where its folder can be written, else into `own` under the name of the
// content; a file that is in the way is kept as NAME.bak. Returns the path. Throws Error.
std::filesystem::path save_description(const std::filesystem::path& file, const ImportDraft& draft,
                                       const std::filesystem::path& own);

// Name of the description that would be written beside the file; empty: the folder cannot be written.
std::string name_beside(const std::filesystem::path& file);

bool is_sample_array(const OutlineEntry& entry);  // could hold the samples

class WindowImport {
 public:
  WindowImport(WindowState& state, const Options& options, SourceInUse& in_use, WindowOpening& opening)
      : state_(state), options_(options), in_use_(in_use), opening_(opening) {}

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

  WindowState& state_;
  const Options& options_;
  SourceInUse& in_use_;
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
