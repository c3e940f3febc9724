#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

#include "core/error.h"
#include "history/hdf5_recording.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
using h5::check;
using h5::Handle;

constexpr const char* kAccepted = "a recording of Echoloop (F.uff.partial, F.hdf5.partial)";

enum class Access { plain, growing, repair };

// Returns an empty handle if the library refuses. `repair` clears the writer's mark, as the library's own tool h5clear.
Handle open_file(const fs::path& file, Access access) {
  const Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  unsigned flags = H5F_ACC_RDONLY;
  if (access == Access::growing) flags |= H5F_ACC_SWMR_READ;
  if (access == Access::repair) {
    flags = H5F_ACC_RDWR;
    const hbool_t yes = true;
    check(H5Pset(list.get(), "clear_status_flags", &yes), "the writer's mark");
    check(H5Pset(list.get(), "skip_eof_check", &yes), "the size of the file");
  }
  const hid_t opened = H5Fopen(file.c_str(), flags, list.get());
  return opened < 0 ? Handle() : Handle(opened, H5Fclose, "file");
}

// Returns the data sets with one entry per frame; empty if one is missing.
std::vector<Handle> frame_lists(const Handle& file) {
  const auto exists = [&](const std::string& path) { return H5Lexists(file.get(), path.c_str(), H5P_DEFAULT) > 0; };
  std::vector<std::string> names;
  std::string own = "/echoloop";
  if (exists("/tracks")) {
    own = "/custom/echoloop";
    names = {"/tracks/track_0/data/raw_data"};
    if (exists("/tracks/track_0/scan/time_to_next_transmit"))
      names.emplace_back("/tracks/track_0/scan/time_to_next_transmit");
  } else if (exists("/channel_data/data/real")) {
    names = {"/channel_data/data/real", "/channel_data/data/imag"};
  } else {
    names = {"/channel_data/data"};
  }
  names.insert(names.begin(), {own + "/frame_sequence", own + "/acquired_ns"});
  for (const char* name : {"/device_time_s", "/device_ticks", "/lost_at_sender", "/missing"})
    if (exists(own + name)) names.push_back(own + name);  // of a scanner
  std::vector<Handle> lists;
  for (const std::string& name : names) {
    const hid_t list = H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT);
    if (list < 0) return {};
    lists.emplace_back(list, H5Dclose, name);
  }
  return lists;
}

std::vector<hsize_t> size_of(const Handle& list) {
  const Handle space(H5Dget_space(list.get()), H5Sclose, "size");
  std::vector<hsize_t> size(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 1)));
  check(H5Sget_simple_extent_dims(space.get(), size.data(), nullptr), "size");
  return size;
}

// Returns the number of complete frames. Throws if the file is not one of our recordings.
std::uint64_t whole_frames(const Handle& file) {
  const std::vector<Handle> lists = frame_lists(file);
  if (lists.empty()) throw std::runtime_error("not a recording of this program");
  hsize_t frames = size_of(lists.front())[0];
  for (const Handle& list : lists) frames = std::min(frames, size_of(list)[0]);
  if (frames == 0) throw std::runtime_error("no frames: the program was killed before the first one was written");
  return frames;
}

void cut_to(const Handle& file, std::uint64_t frames) {
  for (const Handle& list : frame_lists(file)) {
    std::vector<hsize_t> size = size_of(list);
    if (size[0] == frames) continue;
    size[0] = frames;
    check(H5Dset_extent(list.get(), size.data()), "the number of frames");
  }
}

// Throws std::runtime_error with the reason.
std::uint64_t repair(const fs::path& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  errno = 0;
  if (const Handle whole = open_file(file, Access::plain); whole.get() >= 0) return whole_frames(whole);
  std::uint64_t frames = 0;
  {
    const Handle growing = open_file(file, Access::growing);
    if (growing.get() < 0) throw std::runtime_error("not an HDF5 file, or damaged");
    frames = whole_frames(growing);
  }
  {
    Handle opened = open_file(file, Access::repair);
    if (opened.get() < 0) throw std::runtime_error("the file cannot be opened for writing");
    // Marks data written after the last complete header as used.
    check(H5Fincrement_filesize(opened.get(), 0), "the size of the file");
    cut_to(opened, frames);
    check(opened.close(), "the end of the file");
  }
  const Handle again = open_file(file, Access::plain);
  if (again.get() < 0 || whole_frames(again) != frames) throw std::runtime_error("the file is damaged");
  return frames;
}

}  // namespace

RepairedRecording repair_recording(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) throw Error(file.string(), "no such file", kAccepted);
  if (!fs::is_regular_file(file, error)) throw Error(file.string(), "not a regular file", kAccepted);
  if (is_growing(file)) throw Error(file.string(), "the file is still being recorded", "a recording that has ended");
  const std::scoped_lock lock(hdf5_lock());
  try {
    const std::uint64_t frames = repair(file);
    if (!is_partial_name(file)) return {.path = file, .frames = frames};
    return {.path = rename_to_free_name(file, name_of_partial(file)), .frames = frames};
  } catch (const std::exception& problem) {
    throw Error(file.string(), problem.what(), kAccepted);
  }
}

namespace {
bool is_recording_name(const fs::path& file) { return file.extension() == ".uff" || file.extension() == ".hdf5"; }
}  // namespace

std::vector<fs::path> unfinished_recordings(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const bool recording = is_partial_name(it->path()) && is_recording_name(name_of_partial(it->path()));
    if (!recording || !it->is_regular_file(ignored) || is_growing(it->path())) continue;
    found.emplace_back(it->last_write_time(ignored), it->path());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> files;
  for (auto& [time, path] : found) files.push_back(std::move(path));
  return files;
}

}  // namespace echoloop

namespace echoloop::h5 {
namespace {

[[noreturn]] void fail(const std::string& what) {
  const int error = errno;
  throw std::runtime_error(error == ENOSPC ? disk_error_text(error)
                           : error != 0    ? what + " (" + disk_error_text(error) + ")"
                                           : what);
}

Handle text_type(const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "a type of text");
  check(H5Tset_size(type.get(), text.empty() ? 1 : text.size()), "a type of text");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "a type of text");
  return type;
}

void set_text_in(hid_t object, const char* attribute, const std::string& text, const Handle& space) {
  const Handle type = text_type(text);
  const Handle made(H5Acreate2(object, attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    attribute);
  check(H5Awrite(made.get(), type.get(), text.c_str()), attribute);
}

void set_size(hid_t object, std::array<double, 2> size) {
  const hsize_t two = 2;
  const Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose, "size");
  const Handle made(H5Acreate2(object, "size", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    "size");
  check(H5Awrite(made.get(), H5T_NATIVE_DOUBLE, size.data()), "size");
}

Handle make_described(const Node& node, const std::string& uff_class, double array, std::size_t n) {
  Handle group = make_group(node);
  set_text(group.get(), "class", uff_class);
  set_text(group.get(), "name", node.name);
  set_number(group.get(), "array", array);
  set_size(group.get(), {1.0, static_cast<double>(n)});
  return group;
}

}  // namespace

Handle::Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
  if (id < 0) fail(what);
}

void check(herr_t status, const std::string& what) {
  if (status < 0) fail(what);
}

Handle make_group(const Node& node) {
  return {H5Gcreate2(node.parent, node.name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, node.name};
}

Handle create_growing(const Node& node, hid_t type, const std::vector<hsize_t>& shape) {
  std::vector<hsize_t> size = shape;
  std::vector<hsize_t> most = shape;
  size[0] = 0;
  most[0] = H5S_UNLIMITED;
  const int rank = static_cast<int>(shape.size());
  const Handle space(H5Screate_simple(rank, size.data(), most.data()), H5Sclose, node.name);
  const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, node.name);
  check(H5Pset_chunk(options.get(), rank, shape.data()), node.name);
  check(H5Pset_fill_time(options.get(), H5D_FILL_TIME_NEVER), node.name);
  return {H5Dcreate2(node.parent, node.name.c_str(), type, space.get(), H5P_DEFAULT, options.get(), H5P_DEFAULT),
          H5Dclose, node.name};
}

Handle make_object(const Node& node, const std::string& uff_class) { return make_described(node, uff_class, 0.0, 1); }

Handle make_array(const Node& node, const std::string& uff_class, std::size_t n) {
  return make_described(node, uff_class, 1.0, n);
}

std::string member_name(const std::string& array, std::size_t index) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "_%04zu", index + 1);
  return array + number.data();
}

void write_numbers(const Node& node, std::span<const float> values, std::vector<hsize_t> dims,
                   const std::string& matlab_class) {
  const Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose, node.name);
  const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, node.name);
  check(H5Pset_chunk(options.get(), static_cast<int>(dims.size()), dims.data()), node.name);
  const Handle set(
      H5Dcreate2(node.parent, node.name.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, options.get(), H5P_DEFAULT),
      H5Dclose, node.name);
  check(H5Dwrite(set.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), node.name);
  mark_numbers(set.get(), node.name, matlab_class);
}

void write_number(const Node& node, double value, const std::string& matlab_class) {
  const auto single = static_cast<float>(value);
  write_numbers(node, {&single, 1}, {1, 1}, matlab_class);
}

void write_string(const Node& node, const std::string& text) {
  const Handle type = text_type(text);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), node.name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, node.name);
  const Handle set(
      H5Dcreate2(node.parent, node.name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, node.name);
  check(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), node.name);
}

void mark_numbers(hid_t object, const std::string& name, const std::string& matlab_class) {
  set_text(object, "class", matlab_class);
  set_text(object, "name", name);
  set_number(object, "imaginary", 0.0);
  set_number(object, "complex", 0.0);
}

void set_text(hid_t object, const char* attribute, const std::string& text) {
  set_text_in(object, attribute, text, Handle(H5Screate(H5S_SCALAR), H5Sclose, attribute));
}

void set_texts(hid_t object, const char* attribute, const std::string& text) {
  const hsize_t one = 1;
  set_text_in(object, attribute, text, Handle(H5Screate_simple(1, &one, nullptr), H5Sclose, attribute));
}

void set_number(hid_t object, const char* attribute, double value) {
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose, attribute);
  const Handle made(H5Acreate2(object, attribute, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                    attribute);
  check(H5Awrite(made.get(), H5T_NATIVE_DOUBLE, &value), attribute);
}

}  // namespace echoloop::h5
