// The import assistant: reads a file's content, keeps the answers in a draft, requests a preview after each change,
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

// Preview of one frame of a file, formed with a description as the file would open with it: read by the reader process,
// processed by a stream of one frame. On its own thread, always for the newest task. UI thread only.

struct PreviewTask {
  std::uint64_t number = 0;  // of the selection
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

// Returns the samples of one transmit of a frame, at most a few hundred rows.
ImportTraces traces_of(const Acquisition& a, std::span<const std::byte> frame, int transmit);

// Forms a preview in the calling thread, as the previewer does. Throws Error.
PreviewResult form_preview(const PreviewTask& task, Backend& backend, const ImagingOptions& options,
                           const std::stop_token& stop);

class ImportPreviewer {
 public:
  ImportPreviewer(const ImagingOptions& options, DeviceChoice backend);
  ~ImportPreviewer();

  void ask(PreviewTask task);  // replaces a waiting task, stops a running one
  void forget();               // drops all tasks
  std::optional<PreviewResult> take();
  [[nodiscard]] bool busy() const;

 private:
  void run(const std::stop_token& stop);

  const ImagingOptions& options_;
  const DeviceChoice backend_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::optional<PreviewTask> wanted_;
  std::optional<PreviewResult> result_;
  std::stop_source current_;
  bool working_ = false;
  std::jthread thread_;
};

// The rows of the import assistant: each fact of the draft with its origin, the question about it, and the doubts from
// the samples; and its view of raw bytes. UI thread only.

struct ImportFindings {
  const ImportDraft& draft;
  const std::vector<Doubt>& doubts;
  const std::optional<EchoSpectrum>& spectrum;
  const std::set<std::string>& kept;                  // ids of dismissed doubts
  const std::map<std::string, std::string>& refused;  // by id: error of the last answer
  bool lists_axes;                                    // a row was shown for them
};

// Fills `fields` and `spectrum`; each field is in the section of its group.
void fill_import_fields(const ImportFindings& found, ImportState& state);

// Returns the label, for example "Elements"; "Lines" for beamformed lines.
[[nodiscard]] std::string question_label(const ImportDraft& draft, const OpenQuestion& open);

// `refused`: by key, the error of the last answer.
ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused);

// Files of the import assistant: a file's content before any answer, and the target of its description. Any thread.

// Facts about a file before any answer.
struct ImportContents {
  FileOutline outline;
  std::optional<RawGuess> raw;  // for a file without a container
  struct Description {
    std::string name, text;  // of its own file; empty: none
  };
  Description description = {};  // used when the file opens
  Description example = {};      // of another file in its folder, if it does not open alone
};
// Reads a file's contents by the reader process. Throws Error.
ImportContents read_contents(const std::filesystem::path& file, std::stop_token stop = {});
// Returns true if a file that did not open could open with a description.
bool could_be_described(const std::filesystem::path& file, const ImportContents& contents);
ImportDraft make_draft(const std::filesystem::path& file, const ImportContents& contents);

// Returns the description that opens a file as it opens now, with the keys of `patch` in place of those stated, and
// named under `cured`. Throws Error if no description has all facts of the file.
std::string patched_description(const std::filesystem::path& file, const nlohmann::json& patch, std::stop_token stop);

// Writes the description next to the file, if its folder is writable, otherwise into `own` under the name of the
// content; an existing file is kept as NAME.bak. Returns the path. Throws Error.
std::filesystem::path save_description(const std::filesystem::path& file, const ImportDraft& draft,
                                       const std::filesystem::path& own);

// Returns the name of a description saved next to the file; empty: the folder is not writable.
std::string name_beside(const std::filesystem::path& file);

bool is_sample_array(const OutlineEntry& entry);  // may contain the samples

class WindowImport {
 public:
  struct Preview {
    const ImagingOptions& options;
    DeviceChoice backend;
  };
  // An unattended run: offer() refuses.
  WindowImport(WindowState& state, const Preview& preview, RunKind kind, SourceInUse& in_use, WindowOpening& opening)
      : state_(state), preview_(preview), kind_(kind), in_use_(in_use), opening_(opening) {}

  // Opens the assistant for a file that did not open, if a description could help; otherwise `refuse` gets the error.
  // Returns false for files that the assistant does not support.
  bool offer(const std::filesystem::path& file, const Error& why, std::function<void(const Error&)> refuse);
  void execute(const ImportOrder& order);  // throws Error
  void look();                             // each window frame; throws Error if nothing else is open
  [[nodiscard]] bool busy() const { return reading_ != nullptr || (previewer_ != nullptr && previewer_->busy()); }
  void close();  // another source was opened
  // Calls `open` for the file `next`: now, or after a question if answers about another file are not saved.
  void replace(const std::filesystem::path& next, std::function<void()> open);
  [[nodiscard]] bool used() const { return previewer_ != nullptr; }  // since the program's start

 private:
  struct Reading {
    std::filesystem::path file;
    std::optional<Error> why;                  // for a file that did not open
    std::function<void(const Error&)> refuse;  // same
    std::atomic<bool> done{false};
    std::optional<ImportContents> contents;  // owned by the thread until `done`
    std::string error;
    std::jthread thread;
  };

  void read(const std::filesystem::path& file, std::optional<Error> why, std::function<void(const Error&)> refuse);
  void take_contents();
  void begin_draft(const Reading& reading);
  void begin(const std::string& file);
  void change(const std::function<std::string(ImportDraft&)>& edit, const std::string& field);
  void step(ImportAct act);  // undo, redo
  void ask_preview();
  void take_preview(PreviewResult result);
  void say_effect(const Image& before, const Image& now);
  void fill();
  void place_fields();
  void keep(const std::string& id);
  void leave();
  void save();
  void open_file();
  [[nodiscard]] std::string missing_facts() const;  // required to open the file
  [[nodiscard]] std::string why_not_open() const;   // a fact is missing, or the existing ones make no image

  WindowState& state_;
  const Preview preview_;
  const RunKind kind_;
  SourceInUse& in_use_;
  WindowOpening& opening_;
  std::shared_ptr<Reading> reading_;
  std::unique_ptr<ImportPreviewer> previewer_;
  std::filesystem::path file_;
  std::optional<ImportDraft> draft_;
  std::optional<RawGuess> raw_;
  std::function<void()> next_;  // pending question: ImportState::next
  std::string first_bytes_;
  std::string target_;             // name of the description next to the file; empty: its folder is not writable
  std::string wrong_description_;  // error of one next to the file
  static constexpr std::size_t kMostLeft = 16;
  std::map<std::string, ImportDraft> left_;     // by path: drafts of files left unfinished
  std::map<std::string, std::string> refused_;  // by id: error of the last answer
  std::set<std::string> kept_;                  // dismissed doubts
  struct Place {
    ImportGroup section;
    std::string reason = {};
    bool drawn = false;
  };
  std::map<std::string, Place> places_;  // by id: position of a field
  struct {
    std::uint64_t number = 0, frame = 0;
    int transmit = 0;
    std::string change;  // of the selection
    std::vector<Doubt> doubts;
    std::optional<EchoSpectrum> spectrum;
  } shown_;
};

}  // namespace echoloop
