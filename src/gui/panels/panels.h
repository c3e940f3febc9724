// The panels of the two columns, one file each. They draw the Model, write Edits and say so by a command. UI
// thread only.
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
  const Grid& shown_grid;     // of the image on screen; nx 0 = none
  std::uint64_t shown_frame;  // its number in the source
  LevelReader& levels;        // of that image
  Measuring& measuring;
  LevelReader* levels_a;  // of side A; null: nothing is compared
  Measuring& measuring_a;
  bool compact = false;
  bool& more_formation;  // rows that most people never need
  bool& more_display;
  bool& open_dialog;         // set to ask for it
  bool more_stream = false;  // how frames travel, and memory; a high column shows it by itself
};

// A recording opened before, for menus: with its folder where another one has the same name.
struct RecentName {
  std::string name, folder;
};
std::vector<RecentName> recent_names(std::span<const std::filesystem::path> recent);

// Before a column with the timeline scrolls: Ctrl+wheel over the timeline zooms it. `column`: the visible part.
void take_timeline_wheel(PanelContext& c, const Rect& column);

// TGC: eight gains over depth, their curve, and a way back to flat. True when something changed.
bool tgc_rows(PanelContext& c, Column& column);

// In an open panel's head: a small word at the right that shows or hides further rows. Returns its width.
float more_link(Ui& ui, const char* id, const Column& column, float header_y, bool& more);

// Any row of the parameter table as a control of a panel: a slider, segments, or a list. UI thread only.

ParamContext param_context(const PanelContext& c);

// One parameter. True when the value has changed.
bool param_row(PanelContext& c, Column& column, const ParamSpec& spec);
bool param_row(PanelContext& c, Column& column, std::string_view key);
// A number with another control than its row's, where the range depends on the recording.
bool number_row(PanelContext& c, Column& column, const ParamSpec& spec, const ParamControl& control);
// An enumeration, `note` behind the chosen value.
bool choice_row(PanelContext& c, Column& column, const ParamSpec& spec, std::string_view note = {});
// An enumeration as segments over the whole width, without a label.
bool mode_row(PanelContext& c, Column& column, const ParamSpec& spec);

// Why a control of a source's values has no effect while there is no source.
inline constexpr std::string_view kNoAcquisition = "Known once a source is open.";

// The speed of sound with the button of its search, and the search below it. True when the value has changed.
bool sound_speed_row(PanelContext& c, Column& column);

// Two rows of the table as one slider with two thumbs.
bool interval_row(PanelContext& c, Column& column, SliderLook look, std::string_view low_key, std::string_view high_key,
                  double least_width);

// A parameter whose control is the panel's own; `draw` null: the control of another parameter includes this one.
struct OwnRow {
  std::string_view key;
  bool (*draw)(PanelContext&, Column&);
};

enum class MoreRows { hidden, shown };

// All parameters of `parts` that are shown now, in the order of the table. True when a value has changed.
bool param_rows(PanelContext& c, Column& column, std::initializer_list<ParamPart> parts, MoreRows more,
                std::span<const OwnRow> own);

// The row of presets above the parameters: chips with their keys 1 to 9, undo and redo, and a panel to save, rename,
// remove and choose a preset for the probe. UI thread only.

// What the row asks the window to do.
enum class HistoryAct { none, undo, redo };

class PresetRow {
 public:
  HistoryAct draw(PanelContext& c, Column& column, const EditHistory& history);

 private:
  void draw_chips(PanelContext& c, Column& column);
  static void draw_rest(PanelContext& c, const Rect& room, std::size_t first);
  void draw_panel(PanelContext& c, const Rect& below);
  void draw_own(PanelContext& c, Column& column);
  void order(PanelContext& c, PresetCommand act);

  std::array<char, 41> name_{};
  bool focus_ = false;
  bool sure_ = false;  // Delete was pressed once
};

// Rows about the scanner that is connected, waited for or gone. UI thread only.

inline constexpr std::string_view kScannerAddress = "live:default";  // that the Source panel offers
inline constexpr std::uint16_t kLivePort = 18483;                    // likewise, on the network
inline constexpr const char* kDescriptionPanel = "scanner_description";
inline constexpr const char* kNetworkPanel = "scanner_network";

// In the Source panel: the address that is waited at, who is connected. None without a scanner.
void scanner_rows(PanelContext& c, Column& column);

std::string phantom_command(const Model& model);
// Starts a sender of the heart phantom, or ends it.
void phantom_button(PanelContext& c, const char* id, const Rect& r);

// In the Stream panel: sender, transport, blocks, clock, age of the newest frame, losses. None without a scanner.
void sender_rows(PanelContext& c, Column& column);

// The pieces of the stream panel. UI thread only.

inline constexpr float kStreamLabels = 64;  // width of the first rows' labels in a wide column, at scale 1
inline constexpr float kStreamRow = 18;     // height of a row of numbers

struct PolicyWords {
  RingPolicy policy;
  const char *label, *short_label;
  const char* help;     // of the panel
  const char* lesson;   // what the policy does, as the cards of the lecture say it
  const char* outcome;  // what comes out of a full buffer
};
const PolicyWords& policy_words(RingPolicy policy);
// The slots of the ring, or those at the moment of a refused frame.
void draw_slot_cells(const Ui& ui, const Rect& r, const Model& model);

void slot_rows(PanelContext& c, Column& column);     // gauge, choice of how many, occupancy over time
void counter_rows(PanelContext& c, Column& column);  // every frame accounted for, rates
void memory_rows(PanelContext& c, Column& column);   // on the device and on the host
void latency_rows(PanelContext& c, Column& column);  // percentiles and the last ten seconds

// Timeline and Stream over the whole window, for a lecture: what copy and kernels take, which rate the order of the two
// allows, and what each policy does with a full buffer. UI thread only.

class Lecture {
 public:
  void draw(PanelContext& c, const Rect& area);

 private:
  void watch_policy(RingPolicy policy);
  float draw_timeline(PanelContext& c, const Rect& area, float k);
  void draw_orders(PanelContext& c, const Rect& area, float k);
  void draw_stream(PanelContext& c, const Rect& area, float k);

  RingPolicy chosen_ = RingPolicy::block;
  RingPolicy other_ = RingPolicy::error;  // chosen before
};

struct HeaderWords {
  const char* id;
  std::string_view title;
  std::string summary;
  const char* more_id = nullptr;
  bool* more = nullptr;  // null: no link that shows further rows
};
// The head of a panel that can be enlarged: with an icon for it at its right end.
void lecture_header(PanelContext& c, Column& column, const HeaderWords& words, bool& open);

// True when the card was clicked and is not the chosen one.
bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy);
// True when it was chosen.
bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy);
// On the cells of the slots, where there is room: "copying", "ready".
void draw_slot_words(PanelContext& c, const Rect& cells);

// The parts of the Measure panel, and the small plots that they share. UI thread only.

void pair_block(PanelContext& c, Column& column, const MeasuredPair& pair);
void region_block(PanelContext& c, Column& column, const MeasuredRegion& region);
void point_block(PanelContext& c, Column& column, const MeasuredPoint& point);
void profile_block(PanelContext& c, Column& column, const MeasuredProfile& profile);
void compare_blocks(PanelContext& c, Column& column);  // all of these, of two images
// Above values that an adaptive method changes.
void changed_row(PanelContext& c, Column& column);
// Levels of B over those of A, where B is made by a method and A by delay-and-sum; nothing where they are not.
void scatter_block(PanelContext& c, Column& column, const std::string& object);
void histogram_block(PanelContext& c, Column& column);

// A block's head: its name, and a muted word at the right. The pointer over it brings up `help`.
void block_head(PanelContext& c, Column& column, const std::string& title, std::string_view note,
                std::string_view help);

// The numbers of a table's row and what they were in the last 30 s, drawn in one box over one scale.
struct TableColumns {
  float value0, value1;  // right edges
  float trend0, trend1;
};
TableColumns table_columns(const PanelContext& c, const Column& column);
enum class NumberPlace { columns, across };  // across: one number that belongs to both columns
struct TableRow {
  const char* label;
  const char* unit = "";
  int decimals = 2;
  std::string_view help = {};
  // Null: nothing there.
  const MeasuredValue* first = nullptr;
  const MeasuredValue* second = nullptr;
  NumberPlace place = NumberPlace::columns;
  static constexpr double kAnyValue = -std::numeric_limits<double>::infinity();
  double least = kAnyValue;  // a value below: in warning colour, with a dot
};
void table_row(PanelContext& c, Column& column, const TableRow& row);
// A caution about numbers, in as many lines as it needs.
void note_row(PanelContext& c, Column& column, const std::string& text);

// A plot with lines at the ticks; the unit of x stands at the end of its axis.
Plot draw_plot_frame(const Ui& ui, const Rect& outer, const PlotAxis& x, const PlotAxis& y);
// Levels along a line; with `a`, those of side A below them.
void profile_plot(PanelContext& c, Column& column, const LineProfile& line, const LineProfile* a);

// The parts of the objects panel. UI thread only.

// How often each level occurs, with the background's Gaussian, the threshold and what the display shows.
void background_plot(PanelContext& c, Column& column, const ObjectImage& found);

// All objects, the largest first; the pointer on one lights it up in the image, a click selects it.
void objects_table(PanelContext& c, Column& column);
std::string_view empty_table_text(const ObjectView& view);  // of a table without objects

// The pieces of the timeline panel, in files of their own: lanes with blocks, numbers below them. UI thread only.

enum class LaneAxis { shown, left_out };

// Sizes at scale 1.
struct LaneLook {
  float lane = 12, gap = 2;
  float labels = 60;   // width of the rows' names
  float numbers = 15;  // height of the frames' numbers
  Type type = Type::small;
  LaneAxis axis = LaneAxis::shown;
};

// What the lanes show in this frame.
struct TimelineScene {
  const std::vector<Span>& spans;
  std::vector<FrameMark> frames;
  std::vector<TimelineRow> rows;
  LaneLook look = {};
};

// Draws the lanes and takes wheel, drag and double click. Returns how much of each frame's period is shown, 0 = all.
std::int64_t timeline_lanes(PanelContext& c, Column& column, const TimelineScene& scene);

// t_t, t_p, the two predictions and the measured period as bars on one scale, and what follows from them.
void timeline_numbers(PanelContext& c, Column& column);

// Which prediction the measured period meets, or what waits for what, in one sentence.
struct StreamWaits {
  double budget_ms = 0.0;      // the source's period; 0 = it has none
  double source_share = 0.0;   // of the time, for a free slot
  double dropped_share = 0.0;  // of the frames
  bool at_rest = false;        // no frame comes: nothing waits, the timings are those of the last frames
  bool on_cpu = false;         // nothing is copied: there are no two predictions
};
std::string timing_verdict(const StreamTiming& timing, const StreamWaits& waits);

// As many lanes as there are, whether or not each has worked lately: rows must not come and go.
int timeline_lanes_shown(const Edits& edits, const std::vector<Span>& spans);
// "5 frames, 2.50 ms"
std::string timeline_summary(const TimelineState& t, const std::vector<FrameMark>& frames, int wanted, bool open);

// 4 or 5 significant digits at any size: "0.240 ms", "17.31 ms", "1 234 ms".
std::string exact_ms(double ms);

}  // namespace echoloop
