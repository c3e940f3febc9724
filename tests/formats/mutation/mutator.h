// Damaged copies of HDF5 and MATLAB files, the same for the same seed: every format that the program reads, written
// here, and the files of the folders that are named.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace echoloop::testing {

class Mutator {
 public:
  // `fixtures`: the contents of undamaged files.
  Mutator(std::vector<std::string> fixtures, unsigned seed) : fixtures_(std::move(fixtures)), random_(seed) {}

  std::string next();  // the content of a damaged file

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  const std::string& any_of(const std::vector<std::string>& list) { return list[below(list.size())]; }
  std::size_t place(const std::string& bytes);
  void mutate(std::string& bytes);
  void edit_size(std::string& bytes);

  std::vector<std::string> fixtures_;
  std::mt19937 random_;
};

// The contents of the fixtures that are made here (in `scratch`), then of the folders' files of at most 4 MiB. The
// first one is a recording of the program's own.
std::vector<std::string> find_fixtures(const std::filesystem::path& scratch,
                                       const std::vector<std::filesystem::path>& folders);

}  // namespace echoloop::testing
