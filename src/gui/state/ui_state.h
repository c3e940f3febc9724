// Interface between the window and the program. The application fills Model before each window frame; the window draws
// it, writes Edits and sends commands (window_commands.h). UI thread only. gui/ never includes backend/ or dsp/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contents.h"
#include "core/facts.h"
#include "core/params.h"
#include "core/sample_log.h"
#include "core/source_properties.h"
#include "core/stream_settings.h"
#include "core/timing_trace.h"
#include "gui/state/analysis_views.h"
#include "gui/state/dock_list.h"
#include "gui/state/doubt_state.h"
#include "gui/state/import_state.h"
#include "gui/state/map_state.h"
#include "gui/state/marks.h"
#include "gui/state/rect.h"
#include "gui/state/window_commands.h"
#include "measure/levels.h"

namespace echoloop {

// Messages of the program: severity, time, duration of each in the line below the window, and their list. An error
// stays until it is dismissed or its cause is gone: an error with a cause is resolved by the success of the same
// action, and replaced by the next error of the same cause. Pure; UI thread only.

enum class Severity { info, warning, error };

// Duration in the line below the window; the list keeps every message.
enum class Stay {
  as_newest,  // until the next one; an error: until it is dismissed
  passing,    // for a few seconds: the reason why a key has no effect
  resolved    // not shown: its cause is gone
};

struct Message {
  Severity severity = Severity::info;
  std::string clock = {};  // "14:32:07"
  std::string text = {};   // one line
  std::string cause = {};  // cause of an error or a warning: resolved by this name; empty = only dismissed
  Stay stay = Stay::as_newest;
};

// Returns the severity unless it is info, the text, and a mark if resolved.
[[nodiscard]] std::string message_words(const Message& message);
// Returns the message with the time in front, as for the clipboard.
[[nodiscard]] std::string message_line(const Message& message);

// Messages of the run, newest first; beyond kMost the oldest are removed and counted.
class MessageLog {
 public:
  static constexpr std::size_t kMost = 200;

  void post(Message message);
  void resolve(std::string_view cause);  // resolves errors and warnings; none for an empty cause
  void dismiss(std::size_t index);       // no effect beyond the end
  void clear() { *this = {}; }

  [[nodiscard]] const std::vector<Message>& list() const { return list_; }
  [[nodiscard]] std::size_t removed() const { return removed_; }  // number of old messages removed
  // Returns all messages, one per line.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Message> list_;
  std::size_t removed_ = 0;
};

// Returns the index for the message line: the newest error that stays, else the newest message that stays, or nullopt.
[[nodiscard]] std::optional<std::size_t> standing(const std::vector<Message>& messages);

// Comparison of two images, A and B. Plain values; UI thread only.

enum class CompareLook { wipe, side_by_side };

// Recording of A, if it is not that of B. Filled by the application.
struct ComparedRecording {
  std::string name;            // empty: A is B's recording with held settings
  AcquisitionPtr acquisition;  // null while the recording is being opened
  std::string opened_as = {};  // name that opens it again
  std::uint64_t frame_count = 0;
  SampleLogPtr samples = {};
};

// State for the badge alone (badge_state() in bars.h): opening, the first image is awaited; waiting and no_sender, of a
// scanner, while the stream is live or idle; still, of a recording of one frame, which is frozen.
enum class RunState { live, replay, frozen, fault, idle, opening, waiting, no_sender, still };
struct SourceInfo {
  std::string opened_as;  // name that opens it again
  std::string name;       // "Heart phantom", "PWI_disk.mat"
  bool live = false;      // a scanner, which sets the times of its frames
  std::string phantom;    // name in phantoms(); empty for a recording
  std::string format;     // recordings: format found by the reader
  AcquisitionPtr acquisition;
  std::uint64_t frame_count = 0;  // 0 = endless
  double rate_hz = 0.0;           // playback rate unless the user sets another
  SourceContentsPtr contents = {};
  SampleLogPtr samples = {};  // null: a phantom, whose samples are valid
  // For a recording of a scanner: frames between its own that the sender had lost, and that are unaccounted for.
  std::uint64_t recorded_lost = 0, recorded_missing = 0;
  bool scanner_times = false;              // the frame times are those of the scanner's clock
  std::vector<RecordedTrack> tracks = {};  // all of the file, if it has several
};

struct Progress {
  std::string text;       // "Opening big_file.npy"
  double fraction = 0.0;  // 0..1
};

struct FaultNotice {
  std::string title;   // event
  std::string detail;  // facts
  std::string advice =
      {};  // one or two sentences on how to continue; empty = the window has advice for a refused frame only
  bool can_restart = false;
  bool can_use_cpu = false;
  std::optional<RingRefusal> refusal = {};  // policy error: state of the slots
};

// Cine review of history frames, index 0 the oldest. While frozen no frames are added.
struct Cine {
  std::size_t index = 0;       // frame on screen while frozen
  bool playing = false;        // while frozen
  double speed = 1.0;          // seconds of acquisition per second: 0.01 to 10
  std::size_t mark_in = 0;     // start of the playback loop
  std::size_t mark_out = 0;    // end of the loop, both included
  bool keep_acquiring = true;  // frozen, the stream continues behind the image; otherwise the source pauses
  bool compare = false;        // A, with its own parameters, against B, with those in the panels; also live
  CompareLook compare_look = CompareLook::wipe;
  bool match_levels = false;  // B is drawn with A's histogram of levels; display only
  ImagingParams a;            // set by the window when a comparison begins, and on a swap
  float wipe = 0.5F;          // share of the image's width for A
};
struct KeptFrames {
  std::size_t frames = 0;
  double seconds = 0.0;            // time of acquisition, from the oldest to the newest
  std::vector<float> times_s;      // while frozen: time of each frame before the newest, from -seconds to 0
  std::vector<FrameStamp> stamps;  // while frozen: of each frame
  std::vector<float> levels_db;    // while frozen: mean level of the channel data of each frame
  double frame_rate_hz = 0.0;      // frame rate of the acquisition; 0: unknown
  std::size_t bytes = 0;           // memory of the frames; 0 if a recording in memory contains them
  std::size_t budget_bytes = 0;
  std::string why_no_flow;  // for the frame on screen while frozen; empty = it has flow, or its flow is being computed
  std::string why_not;      // reason why no cine review is possible; empty = possible
  ComparedRecording a_recording;
};

// Recording of the live stream. Filled by the application.
struct RecordingView {
  bool on = false;         // frames are being recorded
  bool finishing = false;  // no more frames are added, but some still wait for the disk
  std::string file;        // file name without folders
  double seconds = 0.0;
  std::uint64_t frames = 0;
  std::uint64_t not_recorded = 0;  // frames dropped because the disk was too slow
  double bytes_per_second = 0.0;
};

// Memory, in bytes. Device values are 0 on the CPU.
struct MemoryView {
  std::size_t device_used = 0;   // used by this stream
  std::size_t device_free = 0;   // available to any program
  std::size_t host_used = 0;     // slots, copies of recordings and the history
  std::size_t history_used = 0;  // part of that: history frames
  std::size_t host_free = 0;
  std::size_t slot_bytes = 0;      // one slot; 0 when frames are lent in place
  std::size_t lane_bytes = 0;      // one lane on the device
  bool page_locked = false;        // true: host_used is page-locked
  std::size_t in_place_bytes = 0;  // part of a long recording that is page-locked while it is streamed
};

enum class FilmRange { loop, all };
enum class FilmContainer { mp4, webm, mkv, dicom };

struct FilmChoice {
  FilmRange range = FilmRange::loop;
  double speed = 1.0;  // seconds of acquisition per second of the video
  FilmContainer container = FilmContainer::mp4;
};

struct SavingEdits {
  FilmChoice film;
  bool seen = false;  // the panel is visible
  bool ask = false;   // request to open the panel
};
// Outputs to other programs, in the order of OutputKind. Filled by the application.
struct OutputReader {
  std::string name, kind;  // of its program, of its frames
  double rate_hz = 0.0;    // received frames
  std::uint64_t dropped = 0;
};
struct OutputView {
  OutputKind kind = OutputKind::tap;
  bool on = false;
  std::string place = {};  // name or address
  std::vector<OutputReader> readers = {};
};

struct Saving {
  SavePlace place;          // while the panel is visible
  std::string why_no_film;  // not possible with this program or machine, or one is being made; empty = possible
  bool writing = false;     // other files are being written
  std::string why_no_iq;    // reason why the image has no complex pixels: the end of a sentence; empty = it has
  std::string busy;         // sentence on the file being made of history frames; empty = none
  RecordingView recording;
  std::string last;     // result of the last file, in a line; empty = none yet
  bool failed = false;  // `last` is a reason of failure
  std::vector<OutputView> outputs;
};

// Preset for display.
struct PresetView {
  std::string name;
  std::string about;
  std::string probe;      // its probe, in words; empty = any
  std::string no_effect;  // reason why it changes nothing on this source, or less than it names; empty = none
  int slot = 0;           // key 1 to 9; 0 = none
  bool own = false;       // a user preset: may be changed and removed
  bool fits = true;       // its probe is the one in use
  bool is_default = false;
  int organ = 0;  // place among those offered by organ; 0: none of them
};

// Presets. Filled by the application.
struct Presets {
  std::vector<PresetView> list;
  int active = -1;          // last loaded preset; -1 = none
  bool changed = false;     // parameters changed since then
  std::uint64_t loads = 0;  // number of loads: each is one step of undo
  std::string probe;        // probe in use, in words
};

// Reasons why a control has no effect now, for its tooltip; empty = it has one.
struct ControlReasons {
  std::string host_memory = {};
  std::string streams = {};
  std::string lanes = {};
  std::string precision = {};
  std::string reference = {};
  std::string files = {};  // for all that opens, saves, records or deletes: a kiosk
};

// Facts about the recording given by the user; see command::FactsChanged.
struct FactsEdits {
  Facts given;
  bool edited = false;  // by a control that is still held
};

struct DeviceView {
  std::string backend;  // "CUDA" or "CPU"
  std::string name;     // "NVIDIA H200", "2 threads"
  MemoryView memory;
};

// Latencies of the shown frames.
struct LatencyView {
  StageSummary recent, since_start;  // the last 10 s; the stream
  std::vector<float> history_ms;     // as in StreamNumbers::occupancy
};

// Statistics of the running stream. Filled by the application.
struct StreamNumbers {
  bool idle = false;  // no frame arrives or is in work: paused, at a recording's end, or without a sender
  double processed_fps = 0.0;
  double shown_fps = 0.0;
  std::uint64_t shown = 0;
  std::uint64_t errors = 0;
  RingCounts counts;
  LatencyView latency;        // acquired to image ready
  LatencyView shown_latency;  // acquired to shown
  // Slots in use: the last 10 s of the clock in equal steps, oldest first; NaN if unknown.
  std::vector<float> occupancy;
  StreamPace pace;
  double bytes_per_second = 0.0;  // channel data processed
  // Shares are of one window, the last 2 s (app/stats_collector.h).
  double producer_wait_share = 0.0;  // share of the time, policy block: 0 .. 1
  double dropped_share = 0.0;        // share of the frames: 0 .. 1
  StreamTiming timing;
  std::vector<Span> spans;  // spans of the last frames, oldest first; filled while Edits::timeline_wanted
  std::array<StageSummary, kStageCount> stages{};
  const char* why_fp32 = nullptr;  // Session::why_fp32()
  StageSummary frame_total;        // total of a frame's stages; count 0 = not measured: the panel shows sums
  double frame_budget_ms = 0.0;    // 1000 / source rate; 0 at rate max
};

// State while the image on screen is the last one of the previous source.
struct AwaitedImage {
  std::string shown_of;       // name of the previous source
  std::int64_t since_ns = 0;  // start of this source
};

// Pending replacement of the image on screen, with other parameters or of another history frame.
struct ImageWork {
  std::int64_t since_ns = 0;  // time of the request; 0: the image on screen is current
  double remaining_s = 0.0;   // remaining time of the frame in work, of any source; 0: unknown
};
inline constexpr std::int64_t kWorkSeen_ns = 300'000'000;  // shorter work is not displayed

// View of the image.
struct ViewEdits {
  PanZoom pan_zoom;
  std::optional<PlanePoint> inspected;  // point of the inspector; nullopt = none yet
  InspectorEdits inspector;
  MModeEdits m_mode;
  bool difference_wanted = false;  // the panel of the own method is open; read once a window frame
};
// Own method of image formation. Filled by the application.
enum class OwnState { none, compiling, ready, refused, failed };  // refused, failed: the last good one stays
struct OwnLine {
  int line = 0;  // of the file; 0: of another one
  std::string kind, text;
};
// Method that another program offers, and the one of them in use.
struct OwnOffer {
  std::uint64_t id = 0;
  std::string name, program;
};
struct OwnProgram {
  std::string name, program, input, place;  // name empty: none is in use; place: FILE:LINE of its function
  bool connected = false;
  double rate_hz = 0.0, skipped_hz = 0.0;  // frames with and without its pixels
  double late_hz = 0.0;                    // of the latter, those without an answer in time
  double p50_ms = 0.0, p95_ms = 0.0, function_p50_ms = 0.0;
  std::string problem;  // of the last frame without its pixels
};
// Levels of the image on screen above those of another method, of the same frame.
struct OwnDifference {
  std::string method;   // the other one; empty: not known yet
  LevelsApart levels;   // pixels 0: none
  std::string why_not;  // empty: there are levels
};
struct OwnMethodView {
  std::vector<OwnOffer> offers = {};
  OwnProgram program = {};
  std::filesystem::path file = {};  // empty: none
  OwnState state = OwnState::none;
  std::vector<OwnLine> lines = {};  // of the compiler
  double seconds = 0.0;             // from reading the file to its trial
  double relative_cost = 0.0;       // see OwnBuild
  int registers = 0, spilled_bytes = 0;
  OwnDifference difference = {};
};

struct ImageState {
  InspectorView inspector;
  MModeView m_mode;
  std::optional<AwaitedImage> awaited;  // filled by the viewer; nullopt: the image is the source's, or there is none
  bool coarse = false;  // filled by the viewer: a coarse image is drawn before the image, which is slow; no values
  ImageWork work;
  OwnMethodView method;
};

// Sources that can be opened, and the one being opened. Filled by the application.
struct OpeningView {
  std::vector<std::filesystem::path> recent;   // newest first
  std::vector<std::filesystem::path> methods;  // files of own methods, newest first
  std::filesystem::path continue_with;         // recording of the last run, offered; empty = none
  std::filesystem::path unfinished;            // recording left by a killed program, offered for repair; empty = none
  std::string scanner_token;                   // file with the token that senders on other machines need
  std::string host;                            // name of this machine on its network
  bool sends_phantom = false;                  // a sender of a phantom, started here, is running
  std::optional<Progress> progress;
  std::string former;  // previous source, restored by cancel() while an image is awaited; empty: none
  DoubtsView doubts;   // about the facts of the open source
  std::optional<std::string> unsandboxed;  // recording that waits for the answer whether to open without a sandbox
};

struct Notices {
  std::optional<FaultNotice> fault;
  MessageLog messages;
  std::string formation_warning;  // e.g. the course recipe aliases on this grid; empty = none
};

// Lesson in progress. Filled by the application.
struct LessonLine {
  std::string check, found;
  bool held = false;
};
struct OfferedLesson {
  std::string id;  // of its menu row
  std::string title;
  std::filesystem::path file;
};
struct LessonView {
  std::string title = {};  // empty: no lesson
  std::string step_title = {}, text = {}, hint = {};
  int step = 0, steps = 0;  // from 1
  std::vector<LessonLine> lines = {};
  bool done = false;  // all hold
  std::vector<OfferedLesson> offered = {};
};

struct ResetView {
  bool undoable = false;    // undoable if there is no later step
  std::uint64_t count = 0;  // number of resets, including undone ones
};

// Contents of the window. Filled by the application before each window frame, and by the viewer for the image on
// screen; panels only read it.
struct Model {
  ImagingParams defaults;  // for the current source
  SourceInfo source;
  std::optional<LiveStatus> scanner;  // scanner that is the source or is awaited; nullopt: neither
  Facts assumed;                      // facts of a recording assumed by its reader, if known
  DeviceView device;
  RunState run = RunState::idle;
  StreamNumbers numbers;
  KeptFrames kept;
  Saving saving;
  Presets presets;
  ImageState image;
  AnalysisViews analyses;
  MapViewPtr map;
  ImportState import;
  OpeningView opening;
  Notices notices;
  ControlReasons no_effect;
  ResetView reset;
  LessonView lesson;
  std::optional<RingPolicy> automatic_policy;  // of this source; nullopt: none, as the user has chosen

  // Adds a line to the log. `cause`: the name that resolves an error or a warning, as in MessageLog::resolve().
  void say(Severity severity, const std::string& text, const std::string& cause = {});
  void hint(const std::string& text);  // reason why an action has no effect: shown for a few seconds
};

// Settings edited by the window, and its requests. The application reads it on a command, and once per window frame.
struct Edits {
  ImagingParams params;
  StreamSettings stream;
  Marks marks;
  FactsEdits facts;
  ViewEdits view;
  Cine cine;
  SavingEdits save;
  ObjectPick objects;
  MapChoice map;
  Measured measured;             // on the image on screen
  Measured measured_a;           // on side A of a comparison
  bool timeline_wanted = false;  // its panel is open and not paused
};

// Both parts, for the application.
struct WindowState : Model, Edits {};

// Returns why a control that opens, saves, records or deletes has no effect: the kiosk, else `why`.
inline std::string_view why_no_files(const Model& model, std::string_view why = {}) {
  return model.no_effect.files.empty() ? why : std::string_view(model.no_effect.files);
}

// Returns true if no new image arrives; values of the last seconds are those before the pause.
inline bool image_rests(const Model& model) {
  return model.numbers.idle || (model.run != RunState::live && model.run != RunState::replay);
}

}  // namespace echoloop
