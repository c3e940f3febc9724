// Damaged files and descriptions in the import assistant without its window: contents of the file, draft, answers,
// description, and sometimes the resulting recording. Nothing may end this process, hang, or print more than one line.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "app/window/window_import.h"
#include "core/error.h"
#include "formats/mutation/campaign.h"
#include "formats/mutation/process_size.h"
#include "formats/mutation/text_edits.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {
namespace {

constexpr std::size_t kReportEvery = 1000, kOpenedEvery = 4;
constexpr const char* kDescription =
    R"({"data": "acq.rf", "axes": ["time", "element", "transmit"], "fs_hz": "acq.fs * 1e6", "fc_hz": 5e6, "c_m_s": 1540,
"t0_s": [0, 1e-6, -1e-6], "t_zero": "origin", "pitch_m": 0.3e-3, "tx": [{"kind": "plane", "angle_rad": 0.1},
{"kind": "diverging", "source_m": [0, -0.01]}, {"kind": "delays", "delays_s": [0, null, 1e-7], "apod": [1, 0, 1]}],
"dtype": "int16", "shape": [0, 3, 16, 256], "header_bytes": 16, "demod_hz": 5e6, "element_pos_m": [[0, 0], [1e-3, 0]]})";

bool is_one_line(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool lines_of(const FileOutline& outline) {
  bool fine = is_one_line(outline.container) && is_one_line(outline.refusal);
  for (const OutlineEntry& entry : outline.entries)
    fine = fine && is_one_line(entry.path) && is_one_line(entry.type) && is_one_line(entry.value);
  for (const OutlineGuess& guess : outline.guesses) fine = fine && is_one_line(guess.key) && is_one_line(guess.reason);
  for (const OutlineGuess& missing : outline.missing) fine = fine && is_one_line(missing.reason);
  return fine;
}

// Returns the first text of the draft with more than one line; empty: none.
std::string broken_text(const ImportDraft& draft) {
  std::vector<std::string> texts{draft.last_change()};
  for (const DraftFact& fact : draft.facts()) {
    texts.push_back(fact.reason);
    if (!fact.json.empty()) {
      texts.push_back(shown_value(fact.as(), draft.outline(), fact.json));
    }
  }
  const auto found = std::ranges::find_if_not(texts, is_one_line);
  return found == texts.end() ? "" : *found;
}

// Makes one change of any kind; a refusal must be one line.
bool change(ImportDraft& draft, Dice& dice) {
  const std::vector<OutlineEntry>& entries = draft.outline().entries;
  std::vector<std::string> texts{"1",    "-2.5e9", "nan", "-10 : 5 : 10",         "1 2; 3 4",         "[0, null, 1e-7]",
                                 "all",  "origin", "",    std::string(3000, '9'), "no.such.name * 2", "\n\x01",
                                 "[[[[", "1e999"};
  if (!entries.empty()) texts.push_back(entries[dice.below(entries.size())].path);
  const std::string text = texts[dice.below(texts.size())];
  const auto& rows = fact_questions();
  const FactQuestion& row = rows[dice.below(rows.size())];
  switch (dice.below(10)) {
    case 7:
      return is_one_line(draft.divide_extent(dice.below(5), dice.below(40)));
    case 8:
      return is_one_line(draft.join_extent(dice.below(5)));
    case 9:
      return is_one_line(draft.mirror_transmits(dice.below(2) == 0 ? "" : "origin"));
    case 0:
      return is_one_line(draft.choose_form(row.id, dice.below(5)));
    case 1:
      return is_one_line(draft.set_role(dice.below(6), kAxisRoles[dice.below(std::size(kAxisRoles))]));
    case 2:
      return is_one_line(draft.set_data(text));
    case 3:
      return is_one_line(draft.set_extent(dice.below(5), text));
    case 4:
      return is_one_line(draft.set_raw(std::array{"dtype", "byte_order", "header_bytes"}[dice.below(3)], text));
    case 5:
      return dice.one_in(2) ? (static_cast<void>(draft.undo()), true) : (static_cast<void>(draft.redo()), true);
    default:
      return is_one_line(draft.answer(row.id, text));
  }
}

std::string draft_of(const std::filesystem::path& path, Dice& dice) {
  try {
    const ImportContents contents = read_contents(path);
    if (!lines_of(contents.outline)) return "broken: a text of the outline";
    static_cast<void>(could_be_described(path, contents));
    ImportDraft draft = make_draft(path, contents);
    if (dice.one_in(2)) draft.take_description(edited_text(kDescription, Grammar::json, dice));
    for (std::size_t k = dice.below(6); k > 0; --k) {
      if (!change(draft, dice)) return "broken: a refusal";
      if (const std::string text = broken_text(draft); !text.empty()) return "broken: " + text;
    }
    const std::string description = draft.description();
    static_cast<void>(description_template(contents.outline, path.filename().string()));
    const bool complete = std::ranges::none_of(draft.questions(), &OpenQuestion::needed);
    if (!complete || !dice.one_in(kOpenedEvery)) return complete ? "complete" : "draft";
    const Recording recording = open_recording_as(path, description);
    return recording.frame_count > 0 ? "opened" : "broken: no frames";
  } catch (const Error& error) {
    const std::string line = error.what();  // of the file, or of its description
    const std::string own = path.parent_path().string() + "/";
    return is_one_line(line) && line.size() < 1500 && line.starts_with(own)
               ? outcome_of(path.string() + line.substr(std::min(line.find(": "), line.size())), path)
               : "broken: " + line.substr(0, 200);
  }
}

}  // namespace

int run_draft_campaign(Campaign campaign, unsigned seed) {
  std::map<std::string, std::size_t> outcomes;
  Dice dice(seed);
  std::size_t broken = 0;
  double slowest_s = 0.0;
  std::optional<ProcessSize> before;
  for (std::size_t k = 0; k < campaign.n_files; ++k) {
    const auto path = campaign.scratch / ("file" + std::to_string(campaign.first + k) + (dice.one_in(4) ? ".bin" : ""));
    Mutant mutant = next_recording(campaign.mutator);
    if (dice.one_in(8)) mutant.bytes = mutant.bytes.substr(std::min<std::size_t>(mutant.bytes.size() - 1, 8));  // raw
    write_mutant(path, mutant);
    const auto begin = std::chrono::steady_clock::now();
    const std::string outcome = draft_of(path, dice);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    slowest_s = std::max(slowest_s, seconds);
    ++outcomes[outcome.substr(0, 60)];
    if (seconds > campaign.limits.seconds || outcome == "hung" || outcome.starts_with("broken")) {
      std::printf("file %zu: %s (%.1f s): breaks a rule\n", campaign.first + k, outcome.c_str(), seconds);
      ++broken;
    }
    remove_mutant(path);
    if (k % kReportEvery == kReportEvery - 1) {
      std::printf("after %zu: %s\n", k + 1, to_text(process_size()).c_str());
      std::fflush(stdout);
    }
    if (k == campaign.n_files / 2) before = process_size();
  }
  for (const auto& [outcome, n] : outcomes) std::printf("%s %zu\n", outcome.c_str(), n);
  const ProcessSize after = process_size();
  std::printf("slowest %.2f s, at the end: %s\nbroken rules %zu\n", slowest_s, to_text(after).c_str(), broken);
  return broken > 0 || (before && has_grown(*before, after)) ? 1 : 0;
}

}  // namespace echoloop::testing
