// Panels of the two columns. They draw the Model, write Edits and report changes by commands. UI thread only.
#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/param_table.h"
#include "gui/gl/level_reader.h"
#include "gui/state/edit_history.h"
#include "gui/state/timeline_layout.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/plot.h"
#include "gui/toolkit/ui.h"
#include "gui/toolkit/view_settings.h"
#include "gui/view/marks_view.h"

namespace echoloop {

struct PanelContext {
  Ui& ui;
  const Model& model;
  Edits& edits;
  Commands& commands;
  const Queries& queries;
  ViewSettings& view;
  const Grid& shown_grid;     // of the displayed image; nx 0 = none
  std::uint64_t shown_frame;  // its number in the source
  LevelReader& levels;        // reads that image
  Measuring& measuring;
  LevelReader* levels_a;  // reads side A; null: no comparison
  Measuring& measuring_a;
  bool compact = false;
  bool& more_formation;  // rarely used rows are shown
  bool& more_display;
  bool& open_dialog;         // set to open the dialog
  bool more_stream = false;  // frame transport and memory; shown anyway in a high column
};

// Previously opened recording, for menus: with its folder if another one has the same name.
struct RecentName {
  std::string name, folder;
};
std::vector<RecentName> recent_names(std::span<const std::filesystem::path> recent);

// Reserves Ctrl+wheel over the timeline for zoom, before its column scrolls. `column`: the visible part.
void take_timeline_wheel(PanelContext& c, const Rect& column);

// TGC: eight gains over depth, their curve, and a reset to flat. Returns true if a gain has changed.
bool tgc_rows(PanelContext& c, Column& column);

// Draws a link at the right of an open panel's header that shows or hides further rows. Returns its width.
float more_link(Ui& ui, const char* id, const Column& column, float header_y, bool& more);

// Control of a panel for any row of the parameter table: a slider, segments, or a list. UI thread only.

ParamContext param_context(const Model& model, const Edits& edits);
inline ParamContext param_context(const PanelContext& c) { return param_context(c.model, c.edits); }

// Draws one parameter. Returns true if the value has changed.
bool param_row(PanelContext& c, Column& column, const ParamSpec& spec);
bool param_row(PanelContext& c, Column& column, std::string_view key);
// Draws a number with another control than its row's, for a range that depends on the recording.
bool number_row(PanelContext& c, Column& column, const ParamSpec& spec, const ParamControl& control);
// Draws an enumeration, with `note` after the chosen value.
bool choice_row(PanelContext& c, Column& column, const ParamSpec& spec, std::string_view note = {});
// Draws an enumeration as segments over the whole width, without a label.
bool mode_row(PanelContext& c, Column& column, const ParamSpec& spec);

// Reason for the disabled controls of a source's values without a source.
inline constexpr std::string_view kNoAcquisition = "Known once a source is open.";

// Returns the depth of the last samples, at the speed of sound in use.
double recorded_depth_mm(const Model& model, const Edits& edits);

// Draws the speed of sound, its search and the result. Returns true if the value has changed.
bool sound_speed_row(PanelContext& c, Column& column);

// Draws two rows of the table as one slider with two thumbs.
bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width);

// Parameter with the panel's own control; `draw` null: the control of another parameter includes this one.
struct OwnRow {
  std::string_view key;
  bool (*draw)(PanelContext&, Column&);
};

enum class MoreRows { hidden, shown };

// Draws the visible parameters of `parts`, in the order of the table. Returns true if a value has changed.
bool param_rows(PanelContext& c, Column& column, std::initializer_list<ParamPart> parts, MoreRows more,
                std::span<const OwnRow> own);

// Parts of the mode View, next to its panels. UI thread only.

void engineer_link(PanelContext& c, Column& column);  // to the mode with all settings
void try_card(PanelContext& c, Column& column);       // first keys; closed by the user for good
// Returns why colour flow has no effect now; empty: it has one.
std::string_view why_no_flow(const Model& model, const Edits& edits);
void toggle_flow(const Model& model, Edits& edits, Commands& commands);

// Selects the tool for the opened view; the pointer when it was closed.
void take_inspect_tool(Marks& marks, Dock opened);
// Opens a closed dock in place of the open one; closes an open one. Spectral Doppler turns its gate on when opened, off
// when closed.
void toggle_dock(Edits& edits, Commands& commands, ViewSettings& view, Dock dock);

// Row of presets above the parameters: chips with their keys 1 to 9, undo and redo, and a panel to save, rename, delete
// and choose a preset for the probe. UI thread only.

class PresetRow {
 public:
  // Returns the action requested from the window.
  HistoryAct draw(PanelContext& c, Column& column, const EditHistory& history);

 private:
  void draw_chips(PanelContext& c, Column& column);
  static void draw_rest(PanelContext& c, const Rect& room, std::size_t first);
  void draw_panel(PanelContext& c, const Rect& below);
  void draw_own(PanelContext& c, Column& column);
  void order(PanelContext& c, PresetCommand act);

  std::array<char, 41> name_{};
  bool focus_ = false;
  bool sure_ = false;  // Delete was clicked once
};

// Rows about the scanner: connected, waited for or disconnected. UI thread only.

inline constexpr std::string_view kScannerAddress = "live:default";  // offered by the Source panel
inline constexpr std::uint16_t kLivePort = 18483;                    // offered for the network
inline constexpr const char* kDescriptionPanel = "scanner_description";
inline constexpr const char* kNetworkPanel = "scanner_network";

// Draws rows of the Source panel: the address, the connected sender. None without a scanner.
void scanner_rows(PanelContext& c, Column& column);
void map_rows(PanelContext& c, Column& column);       // maps of the recording
void track_rows(PanelContext& c, Column& column);     // acquisitions of a recording with several
void property_rows(PanelContext& c, Column& column);  // choices of its reader

// Returns true if ensembles of consecutive frames are rare because the stream drops frames of a source that could wait.
bool loses_ensembles(const Model& model, const Edits& edits);

std::string phantom_command(const Model& model);
// Draws the button that starts or ends a sender of the heart phantom.
void phantom_button(PanelContext& c, const char* id, const Rect& r);

// Draws rows of the Stream panel: sender, transport, blocks, clock, newest frame's age, losses. None without a scanner.
void sender_rows(PanelContext& c, Column& column);

// Parts of the stream panel. UI thread only.

inline constexpr float kStreamLabels = 64;  // width of the first rows' labels in a wide column, at scale 1
inline constexpr float kNumberRow = 18;     // height of a row of numbers in the right column
inline constexpr float kNumberStep = 42;    // distance of the columns of numbers

struct PolicyWords {
  RingPolicy policy;
  const char *label, *short_label;
  const char* help;     // tooltip of the panel
  const char* lesson;   // effect of the policy, on the cards of the lecture view
  const char* outcome;  // result of a full buffer
};
const PolicyWords& policy_words(RingPolicy policy);
// Returns true if losses are no fault, in View and in a lecture: by the automatic policy, of a source without end.
bool loses_by_itself(const PanelContext& c);
// Draws the slots of the ring, or their state when a frame was refused.
void draw_slot_cells(const Ui& ui, const Rect& r, const Model& model);

void slot_rows(PanelContext& c, Column& column);     // gauge, choice of number, occupancy over time
void counter_rows(PanelContext& c, Column& column);  // account of all frames, rates
void memory_rows(PanelContext& c, Column& column);   // on the device and on the host
void latency_rows(PanelContext& c, Column& column);  // percentiles and the last ten seconds

// Timeline and Stream over the whole window, for a lecture: times of copy and kernels, the rate that each order of the
// two allows, and the effect of each policy on a full buffer. UI thread only.

// Changes of the transport that a lecture shows as faults, each with its repair.
struct BreakRow {
  std::string_view name;   // "Missing event"
  std::string_view label;  // of its button
  std::string_view hint;   // effect and cure
  void (*apply)(StreamSettings&);
  void (*repair)(StreamSettings&, const StreamSettings& before);
};
std::span<const BreakRow> break_rows();

// Change in force, and what it replaced.
struct LectureBreak {
  std::string name;       // empty: none
  StreamSettings before;  // restored by Repair
  double copy_ms = 0.0;   // before
};

class Lecture {
 public:
  void draw(PanelContext& c, const Rect& area);

 private:
  void watch_policy(RingPolicy policy);
  float draw_timeline(PanelContext& c, const Rect& area, float lanes);
  float draw_period(PanelContext& c, const Rect& area);
  float draw_transport(PanelContext& c, const Rect& area, float most);  // most: y
  float draw_stream(PanelContext& c, const Rect& area);
  void draw_cards(PanelContext& c, const Rect& area);

  RingPolicy chosen_ = RingPolicy::block;
  RingPolicy other_ = RingPolicy::error;  // chosen previously
  float rest_ = 0;                        // height for cards and lanes beyond the least, in the last frame, at scale 1
  float drawn_lanes_ = 0;                 // height of the lanes, at scale 1
  LectureBreak break_;
};

// Draws the fault that stopped the stream with its cures, or the change in force with its repair. Returns the y below.
float draw_lecture_banner(PanelContext& c, const Rect& area, LectureBreak& change);

// Returns the CUDA calls that a stage stands for, with the streams and events of these settings.
std::array<std::string, 3> cuda_lines(Stage stage, const StreamSettings& stream);
// Draws them for the block that was clicked, with a button that copies them.
void draw_code_card(PanelContext& c, const Rect& r, const Span& span);
// Draws the cards of as many policies as fit, the chosen one among them. Returns the policy that was clicked.
std::optional<RingPolicy> draw_policy_cards(PanelContext& c, const Rect& area, RingPolicy chosen, RingPolicy other);

// Draw the lesson in progress: as a card in a column; as a strip of the lecture view, if any, returning the y below.
void lesson_card(PanelContext& c, Column& column);
float lesson_strip(PanelContext& c, const Rect& area);

struct HeaderWords {
  const char* id;
  std::string_view title;
  std::string summary;
  const char* more_id = nullptr;
  bool* more = nullptr;  // null: no link for further rows
};
// Draws the header of a panel with a lecture view, with an icon for it at the right end.
void lecture_header(PanelContext& c, Column& column, const HeaderWords& words, bool& open);

// Returns true if it was clicked and is not the chosen one.
bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy);
// Draws "copying" and "ready" on the cells of the slots, where they fit.
void draw_slot_words(PanelContext& c, const Rect& cells);

// Parts of the Measure panel, and their common small plots. UI thread only.

void mask_block(PanelContext& c, Column& column);
void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair);
void region_block(PanelContext& c, Column& column, const MeasuredRegion& region);
void point_block(PanelContext& c, Column& column, const MeasuredPoint& point);
void profile_block(PanelContext& c, Column& column, const MeasuredProfile& profile);
void compare_blocks(PanelContext& c, Column& column);  // all of these, for two images
// Draws a note above values that an adaptive method changes.
void changed_row(PanelContext& c, Column& column);
// Draws levels of B over those of A if B is made by a method and A by delay-and-sum; nothing otherwise.
void scatter_block(PanelContext& c, Column& column, const std::string& object);
void histogram_block(PanelContext& c, Column& column);

// Draws a block's header: its name, a muted note at the right, and `help` as tooltip.
void block_head(PanelContext& c, Column& column, const std::string& title, std::string_view note,
                std::string_view help);

// Values of a table row and their trend over the last 30 s, in one box on one scale.
struct TableColumns {
  float value0, value1;  // right edges
  float trend0, trend1;
};
TableColumns table_columns(const PanelContext& c, const Column& column);
enum class NumberPlace { columns, across };  // across: one number for both columns
struct TableRow {
  const char* label;
  const char* unit = "";
  int decimals = 2;
  std::string_view help = {};
  // Null: no value.
  const MeasuredValue* first = nullptr;
  const MeasuredValue* second = nullptr;
  NumberPlace place = NumberPlace::columns;
  static constexpr double kAnyValue = -std::numeric_limits<double>::infinity();
  double least = kAnyValue;  // lower values: in warning colour, with a dot
};
void table_row(PanelContext& c, Column& column, const TableRow& row);
// Draws a caution about numbers, in as many lines as needed.
void note_row(PanelContext& c, Column& column, const std::string& text);

// Draws a plot's box with lines at the ticks; the unit of x is at the end of its axis.
Plot draw_plot_frame(const Ui& ui, const Rect& outer, const PlotAxis& x, const PlotAxis& y);
// Draws levels along a line; with `a`, also those of side A.
void profile_plot(PanelContext& c, Column& column, const LineProfile& line, const LineProfile* a);

// Parts of the objects panel. UI thread only.

// Draws the histogram of levels, with the background's Gaussian, the threshold and the display mapping.
void background_plot(PanelContext& c, Column& column, const ObjectImage& found);

// Draws all objects, the largest first; hovering highlights one in the image, a click selects it.
void objects_table(PanelContext& c, Column& column);
std::string_view empty_table_text(const ObjectView& view);  // text of an empty table

// Parts of the timeline panel: lanes with blocks, numbers below them. UI thread only.

enum class LaneAxis { shown, left_out };

// Sizes at scale 1.
struct LaneLook {
  float lane = 12, gap = 2;
  float labels = 60;   // width of the rows' names
  float numbers = 15;  // height of the frames' numbers
  Type type = Type::small;
  LaneAxis axis = LaneAxis::shown;
};

// Content of the lanes in this window frame.
struct TimelineScene {
  const std::vector<Span>& spans;
  std::vector<FrameMark> frames;
  std::vector<TimelineRow> rows;
  LaneLook look = {};
};

// Draws the lanes and handles wheel, drag, double click and keys. Returns the shown time of each frame in ns, 0 = all.
std::int64_t timeline_lanes(PanelContext& c, Column& column, const TimelineScene& scene);

// Draws t_t, t_p, the two predictions and the measured period as bars on one scale, and the verdict on them.
void timeline_numbers(PanelContext& c, Column& column);

// Causes of waiting; timing_verdict() returns in one sentence the prediction that the period meets, or the cause.
struct StreamWaits {
  double budget_ms = 0.0;      // the source's period; 0 = it has none
  double source_share = 0.0;   // fraction of the time spent waiting for a free slot
  double dropped_share = 0.0;  // fraction of the frames
  bool at_rest = false;        // paused: no new frames, the timings are those of the last frames
  bool on_cpu = false;         // no copies: there are no two predictions
};
std::string timing_verdict(const StreamTiming& timing, const StreamWaits& waits);
// Returns the same in a few words: "limited by processing".
std::string limit_words(const StreamTiming& timing, const StreamWaits& waits);
std::string limit_words(const Model& model, const Edits& edits);
// Draws text such as "t_t + t_p", the letter after each "_" as a subscript; returns the right edge.
float draw_formula(const Ui& ui, Type type, float x, const Rect& r, ImU32 color, std::string_view text);

// Returns the number of all lanes, also of recently unused ones: rows must not appear and disappear.
int timeline_lanes_shown(const Edits& edits, const std::vector<Span>& spans);
// Returns "5 frames, 2.50 ms".
std::string timeline_summary(const TimelineState& t, const std::vector<FrameMark>& frames, int wanted, bool open);

// Returns 4 or 5 significant digits at any size: "0.240", "17.31", "1 234".
std::string exact_ms(double ms);

}  // namespace echoloop
