// State of the import assistant for the window: contents of a file, the known facts and the preview. The application
// fills it after each change; the window draws it and sends orders. Plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/results/image.h"

namespace echoloop {

enum class ImportGroup { missing, doubts, guessed, answered, read, optional };

struct ImportEntry {  // entry of the file's tree
  std::string path, shape, type, value;
  std::string use = {};  // "sampling frequency"; empty: unused
  bool array = false;    // usable as samples
  bool numeric = false;
  bool doubted = false;
};

struct ImportAxis {
  std::size_t index = 0;  // index in the draft: raw bytes are shown fastest axis first
  std::size_t length = 0;
  std::string role;
};

struct ImportField {
  std::string id, label, help;
  ImportGroup group = ImportGroup::missing;
  ImportGroup place = ImportGroup::missing;  // its section, which stays when it is answered
  std::string value = {}, unit = {};         // as displayed
  std::string typed = {};                    // as edited
  std::string origin = {};                   // variable, "assumed", "answer"
  std::string reason = {}, error = {};       // one line each
  bool needed = false;                       // in group missing: the file cannot be opened without an answer
  std::vector<std::string> forms = {};       // several: alternative ways to state it
  std::size_t form = 0;
  std::vector<std::string> words = {};  // all possible values, as typed
  std::string cure = {}, keep = {};     // buttons of a doubt: "Use 2.5 MHz", "Keep 2 MHz"
  std::string cured = {};               // answer of the cure, as typed
  bool mirrors = false;                 // the cure mirrors the transmits left to right
  bool drawn = false;                   // doubt with a spectrum as its evidence
};

struct ImportSpectrum {      // evidence for the centre frequency
  std::vector<float> power;  // relative to the maximum, from first_hz in steps of step_hz
  double first_hz = 0.0, step_hz = 0.0, low_hz = 0.0, high_hz = 0.0;
  double stated_hz = 0.0, measured_hz = 0.0;
};

struct ImportNumber {  // number in the header of raw bytes
  std::size_t offset = 0;
  double value = 0.0;
  std::string meaning;
};

struct ImportRaw {
  bool on = false;
  std::string dtype, byte_order, why_type, why_order, why_header;
  std::vector<std::string> types;
  std::size_t header_bytes = 0, described_bytes = 0, file_bytes = 0;
  std::string account;  // "512 + 2688 x 128 x 7 x 18 x 2 = 86 704 640 bytes, the whole file"
  std::string type_error, header_error;
  std::vector<std::uint8_t> first;  // first bytes of the file
  std::vector<ImportNumber> numbers;
  std::vector<float> likeness;
  std::size_t line_values = 0;
};

struct ImportTraces {                                // channel data of one transmit
  std::shared_ptr<const std::vector<float>> values;  // [element][n_time]
  int n_elements = 0, n_time = 0, transmit = 0;
  double first_s = 0.0, step_s = 0.0;
};

struct ImportPreview {
  std::shared_ptr<const Image> image;  // null: none yet
  std::vector<std::string> caption;
  ImportTraces traces;
  bool current = false, busy = false;
  std::string error;  // reason why there is no current preview
  double took_ms = 0.0;
  std::uint64_t frame = 0, n_frames = 0;
  std::string effect;  // effect of the last change on the sharpness; empty: unknown
};

struct ImportArray {  // array with the samples
  std::string name, why;
  bool can_split = false, split = false;  // one of its axes can be split into two
};

struct ImportState {
  bool open = false;
  std::string file_name, container;
  ImportArray data;
  std::vector<ImportEntry> entries;
  std::vector<ImportAxis> axes;
  std::string axes_error;  // reason why the last change of them was refused
  std::vector<ImportField> fields;
  std::string last_change;
  bool can_undo = false, can_redo = false;
  std::string refusal;  // reason why no field is offered: "no arrays in this file: ..."
  ImportSpectrum spectrum;
  ImportRaw raw;
  ImportPreview preview;
  std::string target;        // "scan_042.json", next to the file; empty: its folder is not writable
  std::string why_not_open;  // empty: the file can be opened with the known facts
  std::string next;          // file that waits for the answer whether to leave this one; empty: none

  [[nodiscard]] std::size_t count(ImportGroup group) const {
    return static_cast<std::size_t>(std::ranges::count(fields, group, &ImportField::group));
  }
  [[nodiscard]] std::size_t n_needed() const {
    return static_cast<std::size_t>(std::ranges::count(fields, true, &ImportField::needed));
  }
};

enum class ImportAct {
  begin,     // imports the open recording, or `text` as a file
  answer,    // sets `id` to `text`; empty: as guessed
  form,      // states `id` in way `index`
  role,      // sets the role of axis `index` to `text`
  data,      // selects array `text`
  split,     // toggles its axes between guessed and stored
  raw,       // sets "dtype", "byte_order" or "header_bytes" to `text`
  extent,    // sets the length of axis `index` to `text`
  divide,    // splits axis `index` into two, the faster one of length `length`
  join,      // joins axis `index` with the next faster one
  mirror,    // mirrors the transmits left to right, time 0 at `text` unless empty
  keep,      // keeps `id` as it is: dismisses its doubt, answers its question
  frame,     // previews frame `index`
  transmit,  // shows channel data of transmit `index`
  undo,
  redo,
  save,
  open_unsaved,
  next,  // answers yes for ImportState::next
  stay,  // answers no
  cancel
};

struct ImportOrder {
  ImportAct act = ImportAct::begin;
  std::string id = {}, text = {};
  std::size_t index = 0, length = 0;
};

}  // namespace echoloop
