// A description in the making: what is guessed of a file, what its outline holds and what the user has answered. Every
// change gives a JSON description; what is missing is known in the order in which it matters; every answer can be
// undone. Pure values; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/draft_facts.h"
#include "formats/draft_state.h"
#include "formats/file_outline.h"
#include "formats/raw_guess.h"

namespace echoloop {

// Names of axes as a description has them; "" for none.
inline constexpr const char* kAxisRoles[] = {"time", "element", "transmit", "frame", "line", "iq"};

class ImportDraft {
 public:
  ImportDraft(FileOutline outline, std::string file_name);
  // Raw bytes without a container.
  ImportDraft(FileOutline outline, std::string file_name, const RawGuess& raw);

  [[nodiscard]] const FileOutline& outline() const { return outline_; }
  [[nodiscard]] bool raw() const { return raw_; }
  [[nodiscard]] std::string data() const { return word("data"); }  // path of the array
  [[nodiscard]] std::vector<std::size_t> shape() const;            // of the array, with axes that are split
  [[nodiscard]] bool can_split() const;                            // it is guessed how
  [[nodiscard]] bool is_split() const;
  [[nodiscard]] const std::vector<std::string>& axes() const { return now_.axes; }
  [[nodiscard]] std::string word(const std::string& key) const { return now_.word(key); }
  [[nodiscard]] std::size_t whole(const std::string& key) const { return now_.whole(key); }
  [[nodiscard]] std::string reason(const std::string& key) const { return now_.reason(key); }
  [[nodiscard]] std::vector<DraftFact> facts() const;                 // most important first
  [[nodiscard]] DraftFact fact(std::string_view id) const;            // an id of fact_rows()
  [[nodiscard]] std::vector<OpenQuestion> questions() const;          // most important first
  [[nodiscard]] std::string use_of(const OutlineEntry& entry) const;  // "sampling"; empty: unused
  // JSON, in the order of the table of keys. `file`: with the name of the file, else for a file of any name.
  enum class Naming { file, any_file };
  [[nodiscard]] std::string description(Naming naming = Naming::file) const;
  [[nodiscard]] std::size_t count(const char* role) const;  // length of the axis of that role; 1 without one
  [[nodiscard]] bool lines() const;                         // beamformed already
  [[nodiscard]] bool iq() const;
  [[nodiscard]] std::size_t raw_bytes() const;  // header and all samples

  // Changes. Empty, or why not in one line; then nothing has changed.
  std::string answer(std::string_view id, std::string_view text);  // empty text: back to the guess
  std::string confirm(std::string_view id);  // what is guessed or assumed is the answer; an id, or "axes"
  std::string choose_form(std::string_view id, std::size_t form);
  // Left and right of the transmits exchanged, or as they were; with the event at time 0, unless empty.
  std::string mirror_transmits(const std::string& event);
  [[nodiscard]] bool mirrored() const { return now_.values.contains("tx_mirrored"); }
  std::string set_role(std::size_t axis, const std::string& role);  // the axis that has it gets this one's
  std::string set_data(const std::string& path);
  std::string toggle_split();                                            // as guessed, or as stored
  std::string set_raw(const std::string& key, const std::string& text);  // dtype, byte_order, header_bytes
  // Of raw bytes. The slowest axis takes what the file has left, unless it is the one that is set.
  std::string set_extent(std::size_t axis, const std::string& text);
  std::string divide_extent(std::size_t axis, std::size_t faster);  // into two, the faster one so long
  std::string join_extent(std::size_t axis);                        // with the next faster one
  // In place of an assumed value, from the samples: no step of undo, and never in place of an answer.
  bool suggest(std::string_view id, double si, const std::string& reason);
  // A description that the file has already; with another reason one of a file alike: its values are guesses.
  void take_description(const std::string& json, const std::string& reason = "From a description.");

  [[nodiscard]] bool can_undo() const { return !past_.empty(); }
  [[nodiscard]] bool can_redo() const { return !future_.empty(); }
  bool undo();
  bool redo();
  [[nodiscard]] const std::string& last_change() const { return now_.change; }  // "Transmits: 3 rows"

 private:
  void take_guesses();
  void assume_rest();
  void assume_transmits();
  [[nodiscard]] bool axes_guessed() const;
  void change(DraftState next, const std::string& text);
  void fill_slowest(DraftState& next) const;
  [[nodiscard]] RawShape raw_shape() const { return {shape(), now_.axes}; }
  std::string change_shape(std::string (*edit)(RawShape&, std::size_t, std::size_t), std::size_t axis,
                           std::size_t length, const char* what);
  [[nodiscard]] const OutlineEntry* entry_of(const std::string& path) const;
  [[nodiscard]] std::vector<std::size_t> stored_shape() const;

  FileOutline outline_;
  std::string file_name_;
  bool raw_ = false;
  std::map<std::string, DraftValue> guessed_;
  std::vector<std::string> guessed_axes_;
  DraftState now_;
  std::vector<DraftState> past_, future_;
};

}  // namespace echoloop
