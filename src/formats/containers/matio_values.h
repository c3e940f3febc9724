// What mat_file.cpp and mat_tree.cpp share of matio: handles, MATLAB's classes, and numbers whose sizes are checked.
// Includes matio.h: for these two only.
#pragma once

#include <matio.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "formats/containers/mat_values.h"

namespace echoloop::matio {

inline constexpr const char* kUndamaged = "an undamaged MATLAB file, v5 to v7.3";

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
using File = std::unique_ptr<mat_t, CloseFile>;

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

struct ClassName {
  matio_classes value;
  const char* name;
  const char* code;  // of parse_number_type(); "": no numbers
};
const ClassName& class_of(const matvar_t& variable);

// Each throws Error, naming `what`.
std::vector<std::size_t> dims_of(const std::string& what, const matvar_t& variable);
// Of a variable that is not read yet: whether a file of `file_size` can hold so many numbers.
void check_size(const std::string& what, const matvar_t& variable, std::size_t file_size);
// Why the data of a variable could not be read: damaged, or larger than the memory that is left.
Error unread(const std::string& what, const matvar_t& variable);
// Of a variable that was read: views of its numbers, without an owner.
OwnedArray numbers_of(const std::string& what, const matvar_t& variable);

}  // namespace echoloop::matio
