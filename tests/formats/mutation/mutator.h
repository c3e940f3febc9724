// Damaged copies of files of every supported format and of presets, reproducible by the seed: most by their structure
// (numbers of headers, with corrected checksums; elements, opcodes and words), some byte by byte.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/mutation/dice.h"
#include "formats/mutation/outline.h"

namespace echoloop::testing {

enum class FileKind { hdf5, mat5, npy, npz, pickle, preset };

struct ArchiveMember {
  std::string name, content;
};

struct Fixture {
  FileKind kind = FileKind::hdf5;
  std::string bytes;
  std::string description = {};             // of an array: its JSON
  std::vector<ArchiveMember> members = {};  // of an archive
  std::optional<Outline> outline = {};      // once needed
};

struct Mutant {
  FileKind kind = FileKind::hdf5;
  std::string bytes, description;
};

class Mutator {
 public:
  // `fixtures`: undamaged files.
  Mutator(std::vector<Fixture> fixtures, unsigned seed);

  Mutant next();  // of a file of any kind, each kind equally often

 private:
  std::string damaged(Fixture& fixture);
  std::string damaged_numbers(Fixture& fixture);
  std::string damaged_archive(const Fixture& fixture);
  std::string damaged_member(const std::string& content);
  std::size_t place(const std::string& bytes);
  void mutate(std::string& bytes);
  void edit_number(std::string& bytes, const Field& field, const std::vector<std::size_t>& places);
  void edit_size(std::string& bytes);

  std::vector<Fixture> fixtures_;
  std::map<FileKind, std::vector<std::size_t>> of_kind_;
  Dice dice_;
};

// Returns the kind by the first bytes; nullopt for unknown kinds.
std::optional<FileKind> kind_of(const std::string& bytes, const std::filesystem::path& name);

// Returns the fixtures made here (in `scratch`), those of the fuzz tests, then the folders' files of at most 4 MiB. The
// first one is a recording of the program's own.
std::vector<Fixture> find_fixtures(const std::filesystem::path& scratch,
                                   const std::vector<std::filesystem::path>& folders);

}  // namespace echoloop::testing
