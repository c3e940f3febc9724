#include "app/window/import_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "gui/state/number_text.h"

namespace echoloop {
namespace {

ImportGroup import_group_of(const DraftFact& fact) {
  if (fact.state == FactState::answered) return ImportGroup::answered;
  if (fact.json.empty()) return ImportGroup::optional;
  return fact.state == FactState::read ? ImportGroup::read : ImportGroup::guessed;
}

std::string import_origin_of(const DraftFact& fact, const FileOutline& outline) {
  if (fact.json.empty()) return "";
  if (const std::string variable = variable_of(outline, fact.json); !variable.empty()) return variable;
  if (fact.state == FactState::assumed) return "assumed";
  if (fact.state == FactState::answered) return "answer";
  if (fact.reason.starts_with(kFromExample)) return "example";
  if (fact.state != FactState::read) return "guessed";
  if (!fact.reason.starts_with(kFromDescription)) return "format";
  const std::string name = fact.reason.substr(std::string_view(kFromDescription).size());
  return name.substr(0, name.size() - 1);  // without the full stop
}

std::string label_of(const ImportDraft& draft, const FactRow& row) {
  return draft.lines() && row.id == std::string_view("elements") ? "Lines" : row.label;
}

ImportField field_of(const DraftFact& fact, const std::vector<OpenQuestion>& questions, const ImportFindings& found) {
  ImportField field{.id = fact.row->id, .label = label_of(found.draft, *fact.row), .help = fact.row->help};
  field.group = import_group_of(fact);
  if (const auto open = std::ranges::find(questions, field.id, &OpenQuestion::id); open != questions.end()) {
    field.group = ImportGroup::missing;
    field.needed = open->needed;
  }
  field.value = fact.json.empty() ? "" : shown_value(fact.as(), found.draft.outline(), fact.json);
  field.typed = typed_value(fact.as(), fact.json);
  field.unit = fact.as().unit;
  field.origin = import_origin_of(fact, found.draft.outline());
  field.reason = fact.reason;
  if (fact.state == FactState::answered && fact.reason.empty()) field.reason.clear();
  if (fact.json.empty() && field.reason.empty() && fact.row->need == FactNeed::required) field.reason = fact.row->help;
  if (fact.json.empty() && fact.row->id == std::string_view("rate"))
    field.reason = "Not in the file. Matters for flow, Doppler and playback only.";
  for (const FactForm& form : fact.row->forms) {
    if (form.key != std::string_view("tx") || fact.as().key == std::string_view("tx"))
      field.forms.emplace_back(form.label);
  }
  field.form = fact.form;
  if (field.id == "event") field.words.assign(std::begin(kEventWords), std::end(kEventWords));
  if (const auto refused = found.refused.find(field.id); refused != found.refused.end()) field.error = refused->second;
  return field;
}

// The values of the two buttons. `stated`: in SI units.
void take_doubt(const Doubt& doubt, const DraftFact& fact, std::optional<double> stated, ImportField& field) {
  field.group = ImportGroup::doubts;
  field.reason = doubt.text;
  field.keep = "Keep";
  const double unit = fact.as().per_unit;
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
  const FactRow* const row = find_fact_row(open.id);
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
      const FactRow* const row = fact_row_of_key(doubt.key);
      if (row == nullptr || row->id != fact.row->id || found.kept.contains(field.id) || fact.json.empty()) continue;
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

}  // namespace echoloop
