// The import assistant as the window shows it: what a file holds, what is known about it, and the preview. The
// application fills it after each change; the window draws it and sends orders. Plain values.
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

struct ImportEntry {  // of the file's tree
  std::string path, shape, type, value;
  std::string use = {};  // "sampling frequency"; empty: unused
  bool array = false;    // could hold the samples
  bool numeric = false;
  bool doubted = false;
};

struct ImportAxis {
  std::size_t index = 0;  // of the draft: raw bytes are shown fastest axis first
  std::size_t length = 0;
  std::string role;
};

struct ImportField {
  std::string id, label, help;
  ImportGroup group = ImportGroup::missing;
  ImportGroup place = ImportGroup::missing;  // section in which it stands: stays when it is answered
  std::string value = {}, unit = {};         // as shown
  std::string typed = {};                    // as edited
  std::string origin = {};                   // variable, "assumed", "answer"
  std::string reason = {}, error = {};       // one line each
  bool needed = false;                       // in group missing: nothing opens without an answer
  std::vector<std::string> forms = {};       // several: how it is stated
  std::size_t form = 0;
  std::vector<std::string> words = {};  // all values that there are, as typed
  std::string cure = {}, keep = {};     // buttons of a doubt: "Use 2.5 MHz", "Keep 2 MHz"
  std::string cured = {};               // the answer of the cure, as typed
  bool mirrors = false;                 // the cure exchanges left and right of the transmits
  bool drawn = false;                   // a doubt with a spectrum as its evidence
};

struct ImportSpectrum {      // evidence for the centre frequency
  std::vector<float> power;  // against its maximum, from first_hz in steps of step_hz
  double first_hz = 0.0, step_hz = 0.0, low_hz = 0.0, high_hz = 0.0;
  double stated_hz = 0.0, measured_hz = 0.0;
};

struct ImportNumber {  // of the header of raw bytes
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
  std::vector<std::uint8_t> first;  // bytes
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
  std::string error;  // why there is no current one
  double took_ms = 0.0;
  std::uint64_t frame = 0, n_frames = 0;
  std::string effect;  // of the last change on the sharpness; empty: not known
};

struct ImportArray {  // with the samples
  std::string name, why;
  bool can_split = false, split = false;  // one of its axes into two
};

struct ImportState {
  bool open = false;
  std::string file_name, container;
  ImportArray data;
  std::vector<ImportEntry> entries;
  std::vector<ImportAxis> axes;
  std::string axes_error;  // why the last change of them was not taken
  std::vector<ImportField> fields;
  std::string last_change;
  bool can_undo = false, can_redo = false;
  std::string refusal;  // why no field is offered: "no arrays in this file: ..."
  ImportSpectrum spectrum;
  ImportRaw raw;
  ImportPreview preview;
  std::string target;        // "scan_042.json", beside the file; empty: its folder cannot be written
  std::string why_not_open;  // empty: the file can be opened with what is known
  std::string next;          // a file that waits for the answer whether to leave this one; empty: none

  [[nodiscard]] std::size_t count(ImportGroup group) const {
    return static_cast<std::size_t>(std::ranges::count(fields, group, &ImportField::group));
  }
  [[nodiscard]] std::size_t n_needed() const {
    return static_cast<std::size_t>(std::ranges::count(fields, true, &ImportField::needed));
  }
};

enum class ImportAct {
  begin,     // on the open recording, or `text` as a file
  answer,    // `id` = `text`; empty: as guessed
  form,      // `id` is stated in way `index`
  role,      // axis `index` is `text`
  data,      // the array is `text`
  split,     // its axes as guessed, or as stored
  raw,       // "dtype", "byte_order", "header_bytes" = `text`
  extent,    // axis `index` has length `text`
  divide,    // axis `index` into two, the faster one of length `length`
  join,      // axis `index` with the next faster one
  mirror,    // left and right of the transmits exchanged, time 0 at `text` unless empty
  keep,      // `id` is as it stands: a doubt is dismissed, a question answered
  frame,     // preview of frame `index`
  transmit,  // channel data of transmit `index`
  undo,
  redo,
  save,
  open_unsaved,
  next,  // the answer to ImportState::next is yes
  stay,  // or no
  cancel
};

struct ImportOrder {
  ImportAct act = ImportAct::begin;
  std::string id = {}, text = {};
  std::size_t index = 0, length = 0;
};

}  // namespace echoloop
