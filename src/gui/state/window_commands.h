// Commands of the window: requests of controls and keys, as values in one queue, which the program executes between two
// window frames; and queries with an immediate answer. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "core/results/inspection.h"
#include "gui/state/analysis_views.h"
#include "gui/state/doubt_state.h"
#include "gui/state/import_state.h"

namespace echoloop {

// ImportOrder, PresetOrder and ResultTable contain the details of a command; a choice has an enumeration.
enum class CompareSide { a, b };
// Answer to the question whether a recording may be opened without a sandbox.
enum class SandboxAnswer { open, cancel };
// accept: senders are accepted; disconnect: the sender is disconnected and none is accepted; phantom: a sender of the
// heart phantom is started, or ended.
enum class SenderCommand { accept, disconnect, phantom };
// Data that can be saved: image with its display, its levels as 16 bit PNG, its values, complex pixels of it and of
// history frames, video of history frames, timings, measurements, session, scanner's description as JSON.
// Steps of a lesson: the situation of a step, its solution, another step, the end.
enum class LessonAct { set_up, show, next, back, close };
enum class SaveWhat { picture, levels, data, iq, iq_range, film, timings, measurements, session, description };
enum class OutputKind { tap, igtl, control };  // to other programs
inline constexpr std::size_t kOutputKinds = 3;
enum class TimingFile { chrome_trace, csv };

// Table of an analysis, saved as CSV after the lines about source and parameters.
struct ResultTable {
  std::string suffix;   // suffix of the file name, "_objects"
  std::string heading;  // comment lines, which begin with "# "
  std::string rows;     // rows, with further comment lines before them
  FrameStamp stamp;     // stamp of its image
  ImagingParams params;
};

// `activate`: marks it as in use without loading it.
enum class PresetCommand { load, activate, save_as, overwrite, rename, remove, set_default, unset_default };
struct PresetOrder {
  PresetCommand act = PresetCommand::load;
  int index = -1;         // index of the preset; save_as: none; activate: -1 for none
  std::string name = {};  // for save_as, rename
};

struct CommandInfo {
  std::string_view name;        // for the log, undo and other programs
  bool files = false;           // opens, saves, records or deletes: refused in a kiosk
  std::string_view cause = {};  // name of the message of a failure, which the next success resolves
};

enum class MethodAnswer { use, refuse, detach };

namespace command {
using Info = CommandInfo;

// clang-format off
struct ParamsChanged { static constexpr Info kInfo{"params_changed"}; };  // after any edit of Edits::params
struct StreamChanged { static constexpr Info kInfo{"stream_changed"}; };  // after any edit of Edits::stream
struct CineChanged { static constexpr Info kInfo{"cine_changed"}; };      // after any edit of Edits::cine
// Sent after any edit of Edits::facts: the recording is opened again with them.
struct FactsChanged { static constexpr Info kInfo{"facts_changed"}; };
struct OpenPhantom { static constexpr Info kInfo{"open_phantom"}; std::string text; };  // text for parse_phantom()
struct OpenFile { static constexpr Info kInfo{"open_file", true}; std::filesystem::path file; };  // in the background
struct OpenMethod { static constexpr Info kInfo{"open_method", true}; std::filesystem::path file; };  // is compiled
struct AnswerMethod {  // an offer of another program, or the one in use
  static constexpr Info kInfo{"answer_method", true};
  std::uint64_t id = 0;
  MethodAnswer answer = {};
};
struct OpenLesson { static constexpr Info kInfo{"open_lesson", true}; std::string name; };  // session in assets/lessons
struct StartLesson { static constexpr Info kInfo{"start_lesson", true}; std::filesystem::path file; };
struct LessonStep { static constexpr Info kInfo{"lesson_step"}; LessonAct act = {}; };
struct OpenScanner { static constexpr Info kInfo{"open_scanner", true}; std::string address; };  // waits at it
struct OpenNetworkScanner { static constexpr Info kInfo{"open_network_scanner", true}; std::uint16_t port = 0; };
struct OpenManual { static constexpr Info kInfo{"open_manual", true}; };  // in the desktop's program for such pages
struct Import { static constexpr Info kInfo{"import", true, "importing"}; ImportOrder order; };
struct Doubts { static constexpr Info kInfo{"doubts"}; DoubtAct act = {}; };
struct Sender { static constexpr Info kInfo{"sender", false, "sender"}; SenderCommand act = {}; };
struct AnswerSandbox { static constexpr Info kInfo{"answer_sandbox"}; SandboxAnswer answer = {}; };
struct Cancel { static constexpr Info kInfo{"cancel"}; };  // the operation in the progress strip: opening, or a video
struct ToggleFreeze { static constexpr Info kInfo{"toggle_freeze"}; };
// Opens a recording in the background as side A or B of the comparison; the previous B becomes A when B is opened. An
// empty path: A is B's recording with held settings again.
struct CompareWith {
  static constexpr Info kInfo{"compare_with", true};
  CompareSide side = {};
  std::filesystem::path file;
};
struct SwapRecordings { static constexpr Info kInfo{"swap_recordings"}; };  // A, a recording of its own, becomes B
struct Save { static constexpr Info kInfo{"save", true}; SaveWhat what = {}; };
struct SaveTable { static constexpr Info kInfo{"save_table", true}; ResultTable table; };
struct SaveTimings { static constexpr Info kInfo{"save_timings", true}; TimingFile format = {}; };
struct TurnOutput {
  static constexpr Info kInfo{"turn_output", true, "output"};
  OutputKind kind = {};
  bool on = false;
};
struct ToggleRecord { static constexpr Info kInfo{"toggle_record", true, "recording"}; };
struct Preset { static constexpr Info kInfo{"preset", false, "preset"}; PresetOrder order; };
struct Say { static constexpr Info kInfo{"say"}; std::string text; };    // message line
struct Hint { static constexpr Info kInfo{"hint"}; std::string text; };  // brief message: why a key has no effect
struct AutoReference { static constexpr Info kInfo{"auto_reference"}; };  // the next frame's brightest pixel: 0 dB
struct SoundSpeed { static constexpr Info kInfo{"sound_speed", false, "sound speed"}; SoundSpeedAct act = {}; };
struct ResetLatencies { static constexpr Info kInfo{"reset_latencies"}; };  // percentiles and maximum since the start
struct Restart { static constexpr Info kInfo{"restart"}; };  // after a fault
struct UseCpu { static constexpr Info kInfo{"use_cpu"}; };   // after a device fault
struct Reset { static constexpr Info kInfo{"reset"}; };      // restores the initial value of every setting
struct UndoReset { static constexpr Info kInfo{"undo_reset"}; };
struct DismissMessage { static constexpr Info kInfo{"dismiss_message"}; std::size_t index = 0; };
// clang-format on
}  // namespace command

// Any of them: any_command.h, which only what executes commands includes.
struct AnyCommand;

// Queue in order of arrival. Commands sent during execution wait for the next window frame.
class Commands {
 public:
  Commands();
  ~Commands();
  template <class Command>
  void send(Command command);  // of namespace command
  [[nodiscard]] std::vector<AnyCommand> take();

 private:
  std::vector<AnyCommand> waiting_;
};

// Facts about the program for the About panel.
struct ProgramFacts {
  std::string version;  // "0.1.0"
  std::string sandbox;  // of the reader process, as in --version: "static reader: seccomp, Landlock, namespaces"
  std::string licence;  // "MIT License"
  std::string notices;  // path of the file with the notices; empty: not installed
};

// Sample that contains the echo of a position, as recorded by the nearest element.
struct EchoPlace {
  int transmit = 0;  // from 1
  int element = 0;   // from 1
  int sample = 0;    // from 0, as in the recording
};

// Queries with an immediate answer; empty functions: no answer.
struct Queries {
  std::function<ProgramFacts()> program_facts = {};
  std::function<std::optional<EchoPlace>(PlanePoint)> echo_at = {};  // nullopt: no sample there
};

}  // namespace echoloop
