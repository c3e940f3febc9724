// The nodes of a UFF file as USTB's write_object makes them: every node has `class` and `name`, objects also `size` and
// `array`; numbers are singles of MATLAB's shape, whose dimensions stand reversed in HDF5. HDF5's C interface is used
// in uff_*.cpp only, and always under hdf5_lock(). Internal to src/history.
#pragma once

#include <hdf5.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace echoloop::uff {

// Owner of one HDF5 identifier. Throws std::runtime_error naming `what` when it could not be made.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, const std::string& what);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, -1)) : 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Throws std::runtime_error naming `what`, with the system's reason where there is one.
void check(herr_t status, const std::string& what);

struct Node {
  hid_t parent;
  std::string name;
};

Handle make_group(const Node& node);
Handle make_object(const Node& node, const std::string& uff_class);                // one object, array 0
Handle make_array(const Node& node, const std::string& uff_class, std::size_t n);  // its members: member_name()
std::string member_name(const std::string& array, std::size_t index);              // "sequence_0001" for index 0

// `dims` in HDF5's order.
void write_numbers(const Node& node, std::span<const float> values, std::vector<hsize_t> dims,
                   const std::string& matlab_class = "double");
void write_number(const Node& node, double value, const std::string& matlab_class = "double");
void write_string(const Node& node, const std::string& text);  // not UFF's: one string of HDF5

// Attributes of a data set of numbers, or of the group of a complex one's two parts.
void mark_numbers(hid_t object, const std::string& name, const std::string& matlab_class);
void set_text(hid_t object, const char* attribute, const std::string& text);
void set_texts(hid_t object, const char* attribute, const std::string& text);  // an array of one
void set_number(hid_t object, const char* attribute, double value);

}  // namespace echoloop::uff
