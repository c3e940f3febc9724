#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/options/folders.h"
#include "app/window/window_import.h"
#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/open_recording.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

ImportGroup import_group_of(const DraftFact& fact) {
  if (fact.state == FactState::answered) return ImportGroup::answered;
  if (fact.empty()) return ImportGroup::optional;
  return fact.state == FactState::read ? ImportGroup::read : ImportGroup::guessed;
}

std::string import_origin_of(const DraftFact& fact, const FileOutline& outline) {
  if (fact.empty()) return "";
  if (const std::string variable = variable_of(outline, fact.json); !variable.empty()) return variable;
  if (fact.state == FactState::assumed) return "assumed";
  if (fact.state == FactState::answered) return "answer";
  if (fact.reason.starts_with(kFromExample)) return "example";
  if (fact.state != FactState::read) return "guessed";
  if (!fact.reason.starts_with(kFromDescription)) return "format";
  const std::string name = fact.reason.substr(std::string_view(kFromDescription).size());
  return name.substr(0, name.size() - 1);  // without the full stop
}

std::string label_of(const ImportDraft& draft, const FactQuestion& row) {
  return draft.lines() && row.id == std::string_view("elements") ? "Lines" : row.label;
}

ImportField field_of(const DraftFact& fact, const std::vector<OpenQuestion>& questions, const ImportFindings& found) {
  ImportField field{.id = fact.row->id, .label = label_of(found.draft, *fact.row), .help = fact.row->help};
  field.group = import_group_of(fact);
  if (const auto open = std::ranges::find(questions, field.id, &OpenQuestion::id); open != questions.end()) {
    field.group = ImportGroup::missing;
    field.needed = open->needed;
  }
  field.value = fact.empty() ? "" : shown_value(fact.as(), found.draft.outline(), fact.json);
  field.typed = typed_value(fact.as(), fact.json);
  field.unit = fact.as().unit.symbol;
  field.origin = import_origin_of(fact, found.draft.outline());
  field.reason = fact.reason;
  if (fact.state == FactState::answered && fact.reason.empty()) field.reason.clear();
  if (fact.empty() && field.reason.empty() && fact.row->need == FactNeed::required) field.reason = fact.row->help;
  if (fact.empty() && fact.row->id == std::string_view("rate"))
    field.reason = "Not in the file. Matters for flow, Doppler and playback only.";
  for (const FactRow& form : fact.row->forms) {
    if (form.key != std::string_view("tx") || fact.as().key == std::string_view("tx"))
      field.forms.emplace_back(form.label);
  }
  field.form = fact.form;
  if (field.id == "event") field.words.assign(std::begin(kEventWords), std::end(kEventWords));
  if (const auto refused = found.refused.find(field.id); refused != found.refused.end()) field.error = refused->second;
  return field;
}

// Sets the values of the two buttons. `stated`: in SI units.
void take_doubt(const Doubt& doubt, const DraftFact& fact, std::optional<double> stated, ImportField& field) {
  field.group = ImportGroup::doubts;
  field.reason = doubt.text;
  field.keep = "Keep";
  const double unit = fact.as().unit.si;
  if (stated) field.keep += fmt::format(" {:.4g} {}", *stated / unit, field.unit);
  field.mirrors = doubt.mirrored;
  if (doubt.mirrored || !doubt.word.empty()) {
    field.cured = doubt.word;
  } else if (doubt.change != 0.0 && stated) {
    field.cured = fmt::format("{:.4g}", (*stated + doubt.change) / unit);
  } else if (doubt.measured > 0.0) {
    field.cured = fmt::format("{:.4g}", doubt.measured / unit);
  }
  if (!field.cured.empty() || field.mirrors)
    field.cure = doubt.mirrored       ? "Exchange left, right"
                 : field.unit.empty() ? "Use " + field.cured
                                      : fmt::format("Use {} {}", field.cured, field.unit);
}

}  // namespace

std::string question_label(const ImportDraft& draft, const OpenQuestion& open) {
  const FactQuestion* const row = find_question(open.id);
  return row == nullptr ? "roles of the axes" : label_of(draft, *row);
}

void fill_import_fields(const ImportFindings& found, ImportState& state) {
  const FileOutline& outline = found.draft.outline();
  const std::vector<OpenQuestion> questions = found.draft.questions();
  state.fields.clear();
  state.spectrum = {};
  const bool swapped =
      std::ranges::find(found.doubts, "axes", &Doubt::key) != found.doubts.end() && !found.kept.contains("axes");
  const bool axes_asked = !questions.empty() && questions.front().id == "axes";
  if (!swapped && (axes_asked || found.lists_axes)) {
    ImportField field{.id = "axes", .label = "Axes", .help = {}};
    if (axes_asked) {
      field.reason = questions.front().reason;
      field.needed = questions.front().needed;
    } else {
      field.group = ImportGroup::answered;
    }
    state.fields.push_back(std::move(field));
  }
  for (const DraftFact& fact : found.draft.facts()) {
    ImportField field = field_of(fact, questions, found);
    for (const Doubt& doubt : found.doubts) {
      const FactQuestion* const row = question_of_key(doubt.key);
      if (row == nullptr || row->id != fact.row->id || found.kept.contains(field.id) || fact.empty()) continue;
      take_doubt(doubt, fact, number_of(outline, fact.json), field);
      if (field.id != "centre" || !found.spectrum) continue;
      const EchoSpectrum& s = *found.spectrum;
      state.spectrum = {s.power, s.first_hz, s.step_hz, s.low_hz, s.high_hz, doubt.stated, doubt.measured};
      field.drawn = s.power.size() > 1;
    }
    state.fields.push_back(std::move(field));
  }
  for (const Doubt& doubt : found.doubts) {
    if (doubt.key != "axes" || !swapped) continue;
    state.fields.push_back({.id = "axes",
                            .label = "Axes",
                            .help = {},
                            .group = ImportGroup::doubts,
                            .reason = doubt.text,
                            .cure = "Swap time and element",
                            .keep = "Keep"});
  }
}

ImportRaw raw_state(const ImportDraft& draft, const RawGuess& guess, const std::string& first_bytes,
                    const std::map<std::string, std::string>& refused) {
  ImportRaw raw;
  raw.on = true;
  raw.dtype = draft.word("dtype");
  raw.byte_order = draft.word("byte_order");
  raw.why_type = draft.reason("dtype");
  raw.why_order = draft.reason("byte_order");
  raw.why_header = draft.reason("header_bytes");
  raw.types = raw_types();
  raw.header_bytes = draft.whole("header_bytes");
  raw.described_bytes = draft.raw_bytes();
  raw.file_bytes = draft.outline().bytes;
  std::string product;
  const std::vector<std::size_t> shape = draft.shape();
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) product += std::to_string(*extent) + " × ";
  const bool whole = raw.described_bytes == raw.file_bytes;
  raw.account = fmt::format("{} + {}{} = {} bytes, {}", raw.header_bytes, product, raw_type_bytes(raw.dtype),
                            grouped(raw.described_bytes),
                            whole ? "the whole file"
                            : raw.described_bytes < raw.file_bytes
                                ? grouped(raw.file_bytes - raw.described_bytes) + " bytes left over"
                                : grouped(raw.described_bytes - raw.file_bytes) + " bytes more than the file holds");
  for (std::size_t k = 0; k + 1 < first_bytes.size(); k += 2)
    raw.first.push_back(static_cast<std::uint8_t>(std::stoi(first_bytes.substr(k, 2), nullptr, 16)));
  for (const RawNumber& number : guess.numbers) raw.numbers.push_back({number.offset, number.value, number.meaning});
  raw.likeness = guess.likeness;
  raw.line_values = guess.line_values;
  const auto refusal = [&](const char* key) { return refused.contains(key) ? refused.at(key) : std::string(); };
  raw.type_error = refusal("dtype");
  raw.header_error = refusal("header_bytes");
  return raw;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastRawBytes = 4096;  // minimum size of a file without a container offered as samples

std::string description_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns true for text with few other bytes: no samples.
bool mostly_text(const std::string& hex) {
  std::size_t printable = 0, n = 0;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2, ++n) {
    const int value = std::stoi(hex.substr(k, 2), nullptr, 16);
    printable += (value >= 0x20 && value < 0x7f) || value == '\n' || value == '\r' || value == '\t' ? 1 : 0;
  }
  return n > 0 && printable * 10 >= n * 9;
}

// Returns true if another file's description fits this one: the same array, with as many axes; for raw bytes the type.
bool fits(const nlohmann::json& description, const fs::path& file, const ImportContents& contents) {
  const auto text_of = [&](const char* key) {
    const auto found = description.find(key);
    return found != description.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!description.is_object() || !description.contains("axes") || text_of("file") == file.filename()) return false;
  if (fs::path(text_of("file")).extension() != file.extension()) return false;
  if (contents.raw) return description.contains("dtype") && description.contains("shape");
  const auto& lengths = description.contains("shape") ? description["shape"] : description["axes"];
  return std::ranges::any_of(contents.outline.entries, [&](const OutlineEntry& entry) {
    return entry.path == text_of("data") && entry.shape.size() == lengths.size() && is_sample_array(entry);
  });
}

// Uses the newest one that fits.
void take_example(const fs::path& file, ImportContents& contents) {
  constexpr int kMostLookedAt = 4096;
  constexpr std::uintmax_t kMostBytes = 1 << 18, kMostInAll = 1 << 23;
  if (contents.outline.n_files > 0) return;
  std::error_code error;
  fs::file_time_type newest = fs::file_time_type::min();
  int n = 0;
  std::uintmax_t n_bytes = 0;
  for (fs::directory_iterator at(fs::absolute(file).parent_path(), error), end; at != end && n < kMostLookedAt; ++n) {
    const fs::path path = at->path();
    at.increment(error);
    if (path.extension() != ".json" || !fs::is_regular_file(path, error)) continue;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > kMostBytes || (n_bytes += size) > kMostInAll) continue;
    const auto written = fs::last_write_time(path, error);
    if (error || written <= newest) continue;
    const std::string text = description_text(path);
    if (!fits(nlohmann::json::parse(text, nullptr, false, true), file, contents)) continue;
    newest = written;
    contents.example = {.name = path.filename().string(), .text = text};
  }
}

// Adds the files of a folder as the slowest axis to the guess of one file.
void put_files_first(RawGuess& raw, std::size_t n_files) {
  const auto frame = std::ranges::find(raw.axes, "frame");
  if (frame != raw.axes.end() && std::ranges::find(raw.axes, "transmit") == raw.axes.end()) *frame = "transmit";
  raw.axes.insert(raw.axes.begin(), std::ranges::find(raw.axes, "frame") == raw.axes.end() ? "frame" : "");
  raw.shape.insert(raw.shape.begin(), n_files);
}

}  // namespace

bool is_sample_array(const OutlineEntry& entry) {
  double n = 1.0;
  std::size_t n_long = 0;
  for (const std::size_t extent : entry.shape) {
    n *= static_cast<double>(extent);
    n_long += extent > 1 ? 1 : 0;
  }
  return entry.numeric && n_long >= 2 && n >= 512.0;
}

ImportContents read_contents(const fs::path& file, std::stop_token stop) {
  ImportContents contents{.outline = outline_file(file, std::move(stop)), .raw = {}};
  const OpenRequest request = request_for(file);
  if (contents.outline.entries.empty() && contents.outline.container == "raw bytes") {
    contents.raw = guess_raw(request.bytes());
    require_readable(request.bytes());
    if (request.folder != nullptr) put_files_first(*contents.raw, request.folder->files.size());
  }
  std::string name = used_description(file) ? "answers" : "";  // first one; others have their file's name
  for (const SidecarFile& beside : sidecars_of(request.path, request.bytes())) {
    const std::string from = std::exchange(name, "");
    if (beside.path.extension() != ".json" || !contents.description.text.empty()) continue;
    const auto bytes = beside.file->bytes();
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!describes_file(text, request.path.filename().string(), sidecar_kind(request, beside))) continue;
    if (!contents.outline.is_read || is_explicit(Json::parse(text, nullptr, false, true)))  // as for opening
      contents.description = {.name = from.empty() ? beside.path.filename().string() : from, .text = text};
  }
  if (contents.description.text.empty() && contents.outline.format.empty()) take_example(file, contents);
  return contents;
}

bool could_be_described(const fs::path& file, const ImportContents& contents) {
  const FileOutline& outline = contents.outline;
  const bool answerable = outline.refusal.empty() || outline.refusal.find("beamformed") != std::string::npos;
  if (!contents.raw) return answerable && std::ranges::any_of(outline.entries, is_sample_array);
  const std::string ending = outline.n_files > 0 ? ".raw" : file.extension().string();  // folder: recordings only
  const bool raw_name = ending == ".bin" || ending == ".raw" || ending == ".dat" || ending == ".rf" || ending.empty();
  return raw_name && outline.bytes >= kLeastRawBytes && !mostly_text(outline.first_bytes);
}

ImportDraft make_draft(const fs::path& file, const ImportContents& contents) {
  const std::string name = file.filename().string();
  ImportDraft draft =
      contents.raw ? ImportDraft(contents.outline, name, *contents.raw) : ImportDraft(contents.outline, name);
  if (!contents.description.text.empty())
    draft.take_description(contents.description.text, kFromDescription + contents.description.name + ".");
  if (!contents.example.text.empty())
    draft.take_description(contents.example.text, kFromExample + contents.example.name + ".");
  return draft;
}

std::string patched_description(const fs::path& file, const nlohmann::json& patch, std::stop_token stop) {
  const ImportContents contents = read_contents(file, std::move(stop));
  Json description;
  if (!contents.description.text.empty()) {
    description = Json::parse(contents.description.text, nullptr, true, true);
  } else {
    if (!contents.outline.refusal.empty())
      throw Error(file.filename().string(), contents.outline.refusal, "a file that a description can open");
    const ImportDraft draft = make_draft(file, contents);
    for (const OpenQuestion& open : draft.questions())
      if (open.needed)
        throw Error(file.filename().string(), question_label(draft, open) + " cannot be described",
                    "the import assistant");
    description = Json::parse(draft.description());
  }
  std::vector<std::string> cured;
  for (const auto& [key, value] : patch.items()) {
    if (const FactQuestion* const row = question_of_key(key); row != nullptr)
      for (const FactRow& form : row->forms) description.erase(form.key);
    description[key] = Json::parse(value.dump());
    cured.push_back(key);
  }
  if (!cured.empty()) description["cured"] = cured;
  if (const auto assumed = description.find("assumed"); assumed != description.end() && assumed->is_array()) {
    auto& keys = assumed->get_ref<Json::array_t&>();
    std::erase_if(keys, [&](const Json& key) {
      return std::ranges::any_of(cured, [&](const std::string& one) { return key == one; });
    });
  }
  return description.dump();
}

std::string name_beside(const fs::path& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!why_not_writable(folder).empty()) return "";
  std::error_code error;
  const std::string whole = file.filename().string() + ".json";
  const fs::path target = fs::path(folder / file.filename()).replace_extension(".json");
  const bool of_another = fs::exists(target, error) &&
                          !describes_file(description_text(target), file.filename().string(), SidecarKind::own);
  if (fs::exists(folder / whole, error) || of_another || target.filename() == "params.json") return whole;
  return target.filename().string();
}

fs::path save_description(const fs::path& file, const ImportDraft& draft, const fs::path& own) {
  const fs::path folder = fs::absolute(file).parent_path();
  std::error_code error;
  fs::path target;
  std::string text = draft.description();
  if (const std::string name = name_beside(file); !name.empty()) {
    target = folder / name;
  } else {
    if (own.empty() || draft.outline().n_files > 0)
      throw Error(folder.string(), "a folder that cannot be written", "a folder that can, or a home folder");
    fs::create_directories(own, error);
    if (error) throw Error(own.string(), error.message(), "a folder that can be written");
    target = own / content_name(MappedFile::open(file)->bytes());
    text = draft.description(ImportDraft::Naming::any_file);
  }
  const fs::path made = target.string() + "." + std::to_string(::getpid()) + ".new";
  {
    std::ofstream out(made, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
      fs::remove(made, error);
      throw Error(target.string(), "cannot be written", "a disk with room");
    }
  }
  if (fs::exists(target, error) && description_text(target) != text)
    fs::rename(target, target.string() + ".bak", error);
  fs::rename(made, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(made, error);
    throw Error(target.string(), why, "a folder that can be written");
  }
  return target;
}

}  // namespace echoloop
