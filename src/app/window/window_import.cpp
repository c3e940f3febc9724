#include "app/window/window_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/opening/source_kinds.h"
#include "app/options/folders.h"
#include "app/stream/session.h"
#include "formats/open_recording.h"
#include "gui/overlay/caption.h"
#include "gui/state/number_text.h"
#include "measure/levels.h"
#include "measure/point_spread.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

std::string outline_shape(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : " × ") + std::to_string(n);
  return text.empty() ? "1" : text;
}

std::string without_names(std::string text, const fs::path& file) {
  for (const std::string& prefix : {file.string() + ": ", fs::path(file).replace_extension(".json").string() + ": "}) {
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  }
  return text;
}

bool same_contents(const FileOutline& a, const FileOutline& b) {
  return a.bytes == b.bytes && a.first_bytes == b.first_bytes && a.entries == b.entries;
}

// Edits of the draft, which return the reason if they are refused. `field`: its id; null: that of the order.
struct DraftEdit {
  ImportAct act;
  const char* field;
  std::string (*edit)(ImportDraft& draft, const ImportOrder& order);
};
constexpr DraftEdit kDraftEdits[] = {
    {ImportAct::answer, nullptr, [](ImportDraft& d, const ImportOrder& o) { return d.answer(o.id, o.text); }},
    {ImportAct::form, nullptr, [](ImportDraft& d, const ImportOrder& o) { return d.choose_form(o.id, o.index); }},
    {ImportAct::role, "axes", [](ImportDraft& d, const ImportOrder& o) { return d.set_role(o.index, o.text); }},
    {ImportAct::data, "data", [](ImportDraft& d, const ImportOrder& o) { return d.set_data(o.text); }},
    {ImportAct::split, "axes", [](ImportDraft& d, const ImportOrder&) { return d.toggle_split(); }},
    {ImportAct::raw, nullptr, [](ImportDraft& d, const ImportOrder& o) { return d.set_raw(o.id, o.text); }},
    {ImportAct::extent, "axes", [](ImportDraft& d, const ImportOrder& o) { return d.set_extent(o.index, o.text); }},
    {ImportAct::divide, "axes",
     [](ImportDraft& d, const ImportOrder& o) { return d.divide_extent(o.index, o.length); }},
    {ImportAct::join, "axes", [](ImportDraft& d, const ImportOrder& o) { return d.join_extent(o.index); }},
    {ImportAct::mirror, "transmits", [](ImportDraft& d, const ImportOrder& o) { return d.mirror_transmits(o.text); }}};

}  // namespace

bool WindowImport::offer(const fs::path& file, const Error& why, std::function<void(const Error&)> refuse) {
  std::error_code error;
  if (!is_file_source(file.string()) || kind_ == RunKind::unattended ||
      (!fs::is_regular_file(file, error) && !fs::is_directory(file, error)))
    return false;
  read(file, why, std::move(refuse));
  return true;
}

void WindowImport::read(const fs::path& file, std::optional<Error> why, std::function<void(const Error&)> refuse) {
  reading_ = std::make_shared<Reading>();
  reading_->file = file;
  reading_->why = std::move(why);
  reading_->refuse = std::move(refuse);
  Reading* const job = reading_.get();
  reading_->thread = std::jthread([job](const std::stop_token& stop) {
    try {
      job->contents = read_contents(job->file, stop);
    } catch (const std::exception& error) {
      job->error = error.what();
    }
    job->done = true;
  });
}

void WindowImport::take_contents() {
  if (reading_ == nullptr || !reading_->done) return;
  const std::shared_ptr<Reading> reading = std::exchange(reading_, nullptr);
  give_back_freed_memory();
  const bool offered = reading->why.has_value();
  if (offered && (!reading->contents || !could_be_described(reading->file, *reading->contents))) {
    return reading->refuse(*reading->why);
  }
  if (!reading->contents) throw Error::from_line(reading->error);
  begin_draft(*reading);
}

void WindowImport::begin_draft(const Reading& reading) {
  const ImportContents& contents = *reading.contents;
  leave();
  file_ = reading.file;
  raw_ = contents.raw;
  first_bytes_ = contents.outline.first_bytes;
  refused_.clear();
  kept_.clear();
  places_.clear();
  const std::uint64_t number = shown_.number;
  shown_ = {};
  shown_.number = number;
  const auto left = left_.find(file_.string());
  const bool changed = left != left_.end() && !same_contents(left->second.outline(), contents.outline);
  if (left != left_.end() && !changed) {
    draft_.emplace(left->second);
  } else {
    draft_.emplace(make_draft(file_, contents));
  }
  if (previewer_ == nullptr) previewer_ = std::make_unique<ImportPreviewer>(preview_.options, preview_.backend);
  ImportState& state = state_.import;
  state = {};
  state.open = true;
  state.file_name = file_.filename().string();
  target_ = name_beside(file_);
  const std::string why = reading.why.has_value() ? reading.why->what() : "";
  wrong_description_ = why.find(".json: ") == std::string::npos ? "" : why;
  std::string note = contents.raw ? "no known container, read as raw samples" : "not a known layout";
  if (!reading.why.has_value()) note = "opened for a new description";
  if (!contents.example.name.empty())
    note = fmt::format("filled in as in {}, which describes another file", contents.example.name);
  if (changed) note = "changed on disk, so that its answers are dropped";
  state_.say(Severity::warning,
             wrong_description_.empty()
                 ? fmt::format("{}: {}; nothing is saved before Save description.", state.file_name, note)
                 : wrong_description_,
             "import");
  fill();
  ask_preview();
}

void WindowImport::look() {
  try {
    take_contents();
  } catch (const Error& error) {
    if (in_use_.source == nullptr && !state_.import.open) throw;
    state_.say(Severity::error, error.what(), "importing");
  }
  if (previewer_ == nullptr) return;
  if (auto result = previewer_->take(); result && draft_) take_preview(std::move(*result));
  state_.import.preview.busy = previewer_->busy();
}

void WindowImport::close() {
  reading_.reset();
  if (!state_.import.open) return;
  leave();
}

void WindowImport::leave() {
  if (draft_ && draft_->can_undo()) {
    if (left_.size() >= kMostLeft) left_.clear();
    left_.insert_or_assign(file_.string(), *draft_);
  }
  draft_.reset();
  next_ = {};
  if (previewer_ != nullptr) previewer_->forget();
  state_.import = {};
  state_.notices.messages.resolve("import");
}

void WindowImport::change(const std::function<std::string(ImportDraft&)>& edit, const std::string& field) {
  const std::string before = draft_->description();
  const std::string why = edit(*draft_);
  refused_.clear();
  if (!why.empty()) refused_[field] = why;
  const bool changed = draft_->description() != before;
  if (changed) shown_.change = draft_->last_change();
  if (!why.empty()) {
    state_.import.preview.current = false;
    state_.import.preview.error = why;
  }
  fill();
  if (why.empty() && (changed || !state_.import.preview.current)) ask_preview();
}

void WindowImport::begin(const std::string& file) {
  if (!is_file_source(file) || file.empty())
    throw Error("import", "no recording is open", "a file", "open one with Ctrl+O first");
  replace(file, [this, file] {
    opening_.cancel();
    read(file, std::nullopt, {});
  });
}

void WindowImport::execute(const ImportOrder& order) {
  if (order.act == ImportAct::begin) return begin(order.text.empty() ? in_use_.named : order.text);
  if (!draft_) return;
  if (order.act == ImportAct::answer) {
    const DraftFact fact = draft_->fact(order.id);
    if (!order.text.empty() && order.text == typed_value(fact.as(), fact.json)) return;  // unchanged
  }
  if (const auto* const edit = std::ranges::find(kDraftEdits, order.act, &DraftEdit::act);
      edit != std::end(kDraftEdits))
    return change([&](ImportDraft& draft) { return edit->edit(draft, order); }, edit->field ? edit->field : order.id);
  switch (order.act) {
    case ImportAct::keep:
      return keep(order.id);
    case ImportAct::frame:
      shown_.frame = order.index;
      return ask_preview();
    case ImportAct::transmit:
      shown_.transmit = static_cast<int>(order.index);
      return ask_preview();
    case ImportAct::undo:
    case ImportAct::redo:
      return step(order.act);
    case ImportAct::save:
      return save();
    case ImportAct::open_unsaved:
      if (const std::string why = why_not_open(); !why.empty()) return state_.hint(why);
      use_description(file_, draft_->description());
      return open_file();
    case ImportAct::cancel:
      leave();
      return state_.say(Severity::info, "Import cancelled; answers are kept until you quit.");
    case ImportAct::next:
    case ImportAct::stay:
      state_.import.next.clear();
      if (const auto open = std::exchange(next_, {}); order.act == ImportAct::next && open) open();
      return;
    default:
      return;
  }
}

void WindowImport::step(ImportAct act) {
  const bool back = act == ImportAct::undo;
  const std::string undone = draft_->last_change();
  if (!(back ? draft_->undo() : draft_->redo())) return;
  shown_.change = back ? "Undone: " + undone : draft_->last_change();
  refused_.clear();
  fill();
  ask_preview();
}

void WindowImport::replace(const fs::path& next, std::function<void()> open) {
  if (!draft_ || !draft_->can_undo() || next == file_) return open();
  state_.import.next = next.filename().string();
  next_ = std::move(open);
}

void WindowImport::keep(const std::string& id) {
  const ImportState& state = state_.import;
  const auto field = std::ranges::find(state.fields, id, &ImportField::id);
  if (field != state.fields.end() && field->group == ImportGroup::doubts) kept_.insert(id);
  const std::vector<OpenQuestion> questions = draft_->questions();
  if (std::ranges::find(questions, id, &OpenQuestion::id) == questions.end()) return fill();
  change([&](ImportDraft& draft) { return draft.confirm(id); }, id);
}

std::string WindowImport::missing_facts() const {
  std::string list;
  for (const OpenQuestion& open : draft_->questions()) {
    if (open.needed) list += (list.empty() ? "Missing: " : ", ") + question_label(*draft_, open);
  }
  return list.empty() ? "" : list + ".";
}

std::string WindowImport::why_not_open() const {
  const std::string missing = missing_facts();
  return missing.empty() ? state_.import.preview.error : missing;
}

void WindowImport::save() {
  if (refused_in_kiosk(state_)) return;
  if (const std::string why = why_not_open(); !why.empty()) return state_.hint(why);
  const fs::path own = own_descriptions_folder();
  const fs::path saved = save_description(file_, *draft_, own);
  use_description(file_, "");
  std::string open;
  for (const OpenQuestion& one : draft_->questions()) open += (open.empty() ? "" : ", ") + question_label(*draft_, one);
  const bool beside = saved.parent_path() == fs::absolute(file_).parent_path();
  const std::string where = beside ? "Description saved: " + saved.string()
                                   : "Description saved in your own folder, found again by content: " + saved.string();
  const std::string said = where + (open.empty() ? "" : ". Not answered: " + open);
  open_file();
  left_.erase(file_.string());
  state_.say(Severity::info, said);
}

void WindowImport::open_file() {
  const fs::path file = file_;
  leave();
  opening_.open(file.string());
}

void WindowImport::ask_preview() {
  ImportPreview& preview = state_.import.preview;
  preview.current = false;
  preview.error = missing_facts();
  state_.import.why_not_open = preview.error;
  if (!preview.error.empty()) return previewer_->forget();
  previewer_->ask({.number = ++shown_.number,
                   .file = file_.string(),
                   .description = draft_->description(),
                   .frame = shown_.frame,
                   .transmit = shown_.transmit});
}

void WindowImport::say_effect(const Image& before, const Image& now) {
  ImportPreview& preview = state_.import.preview;
  const LevelImage a{before.host(), before.grid, 1, 0.0}, b{now.host(), now.grid, 2, 0.0};
  const double gain = sharpness_db(b) - sharpness_db(a);
  preview.effect = fmt::format("sharpness {} dB", signed_fixed(gain, 1));
  if (now.grid.polar() || before.grid.polar()) return;
  const auto peak = std::ranges::max_element(b.db) - b.db.begin();
  const int ix = static_cast<int>(peak % b.grid.nx), iz = static_cast<int>(peak / b.grid.nx);
  const PlanePoint at{b.grid.x_m(ix), b.grid.z_m(iz)};
  const auto sharp = measure_point(b, at, 1e-3), blurred = measure_point(a, at, 2e-3);
  if (!sharp || !blurred || !std::isfinite(sharp->lateral.fwhm_m) || !std::isfinite(blurred->lateral.fwhm_m)) return;
  preview.effect += fmt::format("    point at {} mm, lateral FWHM {} → {} mm", fixed(sharp->peak.z_m * 1e3, 0),
                                fixed(blurred->lateral.fwhm_m * 1e3, 2), fixed(sharp->lateral.fwhm_m * 1e3, 2));
}

void WindowImport::take_preview(PreviewResult result) {
  if (result.number != shown_.number) return;
  ImportPreview& preview = state_.import.preview;
  preview.took_ms = result.took_ms;
  if (result.image == nullptr) {
    preview.error = without_names(result.error, file_);
    state_.import.why_not_open = preview.error;
    return;
  }
  const DraftFact centre = draft_->fact("centre");
  const bool guessed_quarter = centre.state == FactState::assumed && centre.reason.starts_with("Not in the file");
  if (guessed_quarter && result.spectrum && result.spectrum->center_hz > 1e4) {
    const double hz = std::round(result.spectrum->center_hz * 1e-4) * 1e4;
    if (draft_->suggest("centre", hz, fmt::format("Echo spectrum is centred at {:.3g} MHz.", hz * 1e-6)))
      return ask_preview();
  }
  const std::shared_ptr<const Image> before = std::exchange(preview.image, result.image);
  const bool moved = preview.frame != std::min(shown_.frame, std::max<std::uint64_t>(result.n_frames, 1) - 1);
  preview.effect.clear();
  if (before != nullptr && !moved && !shown_.change.empty()) say_effect(*before, *preview.image);
  preview.traces = std::move(result.traces);
  preview.frame = std::min(shown_.frame, std::max<std::uint64_t>(result.n_frames, 1) - 1);
  preview.n_frames = result.n_frames;
  preview.current = true;
  preview.error.clear();
  preview.caption.clear();
  for (const CaptionItem& item : caption_items(*preview.image)) {
    if (item.key == "frame" || item.key == "t") continue;  // shown above the image, counted from 1
    std::string text = item.key;
    for (const std::string& part : {item.value, item.unit}) text += (text.empty() || part.empty() ? "" : " ") + part;
    preview.caption.push_back(std::move(text));
  }
  shown_.doubts = std::move(result.doubts);
  shown_.spectrum = std::move(result.spectrum);
  fill();
}

// Keeps answered rows in their section, with the same number of lines: a second click hits the same row.
void WindowImport::place_fields() {
  for (ImportField& field : state_.import.fields) {
    Place& place = places_.try_emplace(field.id, Place{.section = field.group}).first->second;
    if (field.group == ImportGroup::missing || field.group == ImportGroup::doubts)
      place = {.section = field.group, .reason = field.reason, .drawn = field.drawn};
    field.place = place.section;
    if (field.group != place.section && place.section == ImportGroup::doubts) field.drawn = place.drawn;
    if (field.group != place.section && (field.reason.empty() || place.section == ImportGroup::doubts))
      field.reason = place.reason;
  }
}

void WindowImport::fill() {
  ImportState& state = state_.import;
  const FileOutline& outline = draft_->outline();
  state.container = outline.container + " · " + byte_text(outline.bytes);
  state.refusal = outline.refusal.empty() ? wrong_description_ : outline.refusal;
  state.data.name = draft_->data();
  state.data.can_split = draft_->can_split();
  state.data.split = draft_->is_split();
  state.data.why = draft_->reason(state.data.split ? "shape" : "data");
  state.entries.clear();
  for (const OutlineEntry& entry : outline.entries) {
    state.entries.push_back({.path = entry.path,
                             .shape = outline_shape(entry.shape),
                             .type = entry.type,
                             .value = entry.value,
                             .use = draft_->use_of(entry),
                             .array = is_sample_array(entry),
                             .numeric = entry.numeric});
  }
  state.axes.clear();
  const std::vector<std::size_t> shape = draft_->shape();
  for (std::size_t k = 0; k < shape.size() && k < draft_->axes().size(); ++k) {
    const std::size_t a = draft_->raw() ? shape.size() - 1 - k : k;
    state.axes.push_back({.index = a, .length = shape[a], .role = draft_->axes()[a]});
  }
  const auto refused = refused_.find("axes");
  state.axes_error = refused == refused_.end() ? "" : refused->second;
  fill_import_fields({.draft = *draft_,
                      .doubts = shown_.doubts,
                      .spectrum = shown_.spectrum,
                      .kept = kept_,
                      .refused = refused_,
                      .lists_axes = places_.contains("axes")},
                     state);
  place_fields();
  state.raw = draft_->raw() && raw_ ? raw_state(*draft_, *raw_, first_bytes_, refused_) : ImportRaw();
  for (ImportEntry& entry : state.entries) {
    entry.doubted = std::ranges::any_of(state.fields, [&](const ImportField& field) {
      return field.group == ImportGroup::doubts && field.origin == entry.path;
    });
  }
  state.last_change = shown_.change;
  state.can_undo = draft_->can_undo();
  state.can_redo = draft_->can_redo();
  state.target = target_;
  state.why_not_open = why_not_open();
}

}  // namespace echoloop
