// The objects of a MATLAB v7.3 file: links inside it, MATLAB's class, shape and number type of a dataset.
// Includes hdf5.h: only for mat73.cpp and mat73_outline.cpp, under the library lock of mat_file.cpp.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace echoloop::mat73 {

inline constexpr const char* kAccepted = "an undamaged MATLAB v7.3 file";
inline constexpr std::size_t kMaxAxes = 16;

class Id {  // owns one reference to an object of the library
 public:
  explicit Id(hid_t id) : id_(id) {}
  ~Id() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Id& operator=(Id&&) = delete;
  operator hid_t() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
};

struct Number {
  const char* name;
  const char* code;
  hid_t memory;  // a type of the library's own
};

struct Outline {
  std::string kind;               // MATLAB's word
  std::vector<std::size_t> dims;  // MATLAB's order
  std::optional<Number> number;
  std::string real, imaginary;  // members of a complex number; empty: real numbers
};

// Names of the hard links of a group, in order. MATLAB's own ("#refs#") are left out, and so is a name with a '/':
// the library would take it for a path.
std::vector<std::string> hard_links(const std::string& what, hid_t group);
// Throws Error when `name` is no hard link or leads to nothing.
Id open_object(const std::string& what, hid_t group, const std::string& name);
bool has_attribute(hid_t object, const char* name);
// MATLAB_class: text of fixed length, whatever ends it; "" when there is none.
std::string class_attribute(hid_t object);
// A dataset's; `number` is empty for text, cells, objects and whatever else is no array of numbers.
Outline dataset_outline(const std::string& what, hid_t dataset);

}  // namespace echoloop::mat73
