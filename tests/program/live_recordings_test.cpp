// Every recording that there is, sent to the viewer as a scanner would: by the program itself, by the C header and by
// the Python file, in the viewer's own layout and in others. The image is that of opening the recording, bit by bit.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "formats/open_recording.h"
#include "program/run_program.h"
#include "program/started_program.h"
#include "support/environment_variable.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"
#include "test_paths.h"

namespace echoloop::live_recordings_test {
namespace {

using namespace testing;

const std::filesystem::path kSource = ECHO_SOURCE_DIR;
const std::filesystem::path kSenders = kSource / "src" / "senders";
constexpr std::uint64_t kFrames = 3;

// The viewer's image of the last of three frames: fewer pixels than by default, yet more than samples of an element.
Words image_of(const std::string& source, const std::filesystem::path& image) {
  return {source,        "--headless",  "--backend", "cpu",
          "--policy",    "block",       "--frames",  std::to_string(kFrames),
          "--set",       "grid_nx=64",  "--set",     "grid_nz=128",
          "--image-out", image.string()};
}

std::string image_of_file(const std::filesystem::path& file, const TemporaryFolder& folder) {
  const std::filesystem::path image = folder / "opened.npy";
  const testing::Ended ended = run_program(image_of(file.string(), image));
  EXPECT_EQ(ended.status, 0) << ended.err;
  return read_text(image);
}

class WaitingViewer {
 public:
  explicit WaitingViewer(const std::string& address = "live:test")
      : runtime_("XDG_RUNTIME_DIR", folder_.path().string()),
        program_(image_of(address, folder_ / "sent.npy"), folder_) {}
  std::string image() {
    EXPECT_EQ(program_.end(), 0) << program_.errors();
    return read_text(folder_ / "sent.npy");
  }

 private:
  TemporaryFolder folder_;
  testing::Variable runtime_;
  StartedProgram program_;
};

// What a scanner would send of a recording: description and frames.
struct Sent {
  std::string scan;
  std::string frames;
};

// The C program that sends a file, compiled once; empty without a compiler.
const std::string& c_sender() {
  static const TemporaryFolder folder;
  static const std::string built = [] {
    if (std::system("command -v cc >/dev/null") != 0) return std::string();
    const std::string to = (folder / "send_raw").string();
    const std::string command = "cc -std=c99 -Wall -Wextra -pedantic -Werror -O2 -I'" + kSenders.string() + "' '" +
                                (kSource / "tests/program/send_raw.c").string() + "' -o '" + to + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return to;
  }();
  return built;
}

std::string image_by_c(const Sent& sent, int threads = 1) {
  const TemporaryFolder folder;
  testing::write_text_file(folder / "scan.json", sent.scan);
  testing::write_text_file(folder / "frames.raw", sent.frames);
  WaitingViewer viewer;
  const std::string command = "'" + c_sender() + "' live:test '" + (folder / "scan.json").string() + "' '" +
                              (folder / "frames.raw").string() + "' " + std::to_string(threads);
  EXPECT_EQ(std::system(command.c_str()), 0);
  return viewer.image();
}

std::string image_by_python(const Sent& sent) {
  const TemporaryFolder folder;
  testing::write_text_file(folder / "scan.json", sent.scan);
  testing::write_text_file(folder / "frames.raw", sent.frames);
  testing::write_text_file(folder / "send.py",
                           "import sys\nfrom echoloop import Sender\n"
                           "frames = open(sys.argv[2], 'rb').read()\n"
                           "with Sender(open(sys.argv[1]).read(), 'live:test', timeout=20) as s:\n"
                           "    n = len(frames) // 3\n"
                           "    for k in range(3):\n"
                           "        assert s.send(frames[k * n:(k + 1) * n]) == 'ok', s.message\n");
  WaitingViewer viewer;
  const std::string command = "PYTHONPATH='" + kSenders.string() + "' python3 '" + (folder / "send.py").string() +
                              "' '" + (folder / "scan.json").string() + "' '" + (folder / "frames.raw").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return viewer.image();
}

std::string image_by_program(const std::filesystem::path& file) {
  WaitingViewer viewer;
  const testing::Ended ended =
      run_program({"send", file.string(), "--to", "live:test", "--frames", std::to_string(kFrames), "--rate", "max"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return viewer.image();
}

std::string frames_of(const Recording& recording) {
  std::string frames;
  std::vector<std::byte> storage(recording.acquisition->frame_bytes());
  for (std::uint64_t k = 0; k < kFrames; ++k) {
    const std::uint64_t index = k % recording.frame_count;
    std::span<const std::byte> frame = storage;
    if (recording.frame) {
      frame = recording.frame(index);
    } else {
      FrameMemory slot{.bytes = storage, .owner = nullptr, .kind = HostMemory::pageable};
      recording.reader->read(index, slot);
      frame = slot.bytes;
    }
    frames.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  }
  return frames;
}

// The same frames in another layout.
struct Layout {
  Words order;            // of the axes
  std::size_t gap = 0;    // bytes behind each run of the fastest axis
  bool reversed = false;  // the last element's row comes first
};
Sent other_layout(const Recording& recording, const std::filesystem::path& file, Layout layout) {
  const Acquisition& a = *recording.acquisition;
  const bool iq = a.signal == SignalKind::iq;
  Words& order = layout.order;
  if (iq) order.emplace_back("iq");
  const std::size_t value = bytes_per_value(a.sample_type);
  const auto n = [](int count) { return static_cast<std::size_t>(count); };
  const std::map<std::string, std::size_t> lengths = {
      {"transmit", n(a.n_transmits())}, {"element", n(a.n_elements())}, {"time", n(a.n_samples)}, {"iq", iq ? 2 : 1}};
  const std::size_t per_time = value * (iq ? 2 : 1), per_element = per_time * n(a.n_samples);
  const std::map<std::string, std::size_t> from = {
      {"transmit", per_element * n(a.n_elements())}, {"element", per_element}, {"time", per_time}, {"iq", value}};
  std::vector<std::size_t> shape, strides(order.size());
  for (const std::string& axis : order) shape.push_back(lengths.at(axis));
  std::size_t stride = value;
  for (std::size_t k = order.size(); k-- > 0;) {
    strides[k] = stride;
    stride = stride * shape[k] + (k + 1 == order.size() ? layout.gap : 0);
  }
  std::size_t bytes = value;
  for (std::size_t k = 0; k < order.size(); ++k) bytes += strides[k] * (shape[k] - 1);
  const std::string frames = frames_of(recording);
  const std::size_t frame_bytes = a.frame_bytes();
  Sent sent;
  std::vector<std::ptrdiff_t> sources;  // bytes from one place of an axis to the next, in `frames`
  std::size_t first = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool back = layout.reversed && order[k] == "element";
    const auto step = static_cast<std::ptrdiff_t>(from.at(order[k]));
    sources.push_back(back ? -step : step);
    if (back) first = (shape[k] - 1) * from.at(order[k]);
  }
  for (std::uint64_t f = 0; f < kFrames; ++f) {
    std::string frame(bytes, '\x55');
    std::vector<std::size_t> at(order.size(), 0);
    const std::size_t last = order.size() - 1;
    for (bool more = true; more;) {
      const char* in = &frames[f * frame_bytes + first];
      char* out = frame.data();
      for (std::size_t k = 0; k < last; ++k) {
        in += static_cast<std::ptrdiff_t>(at[k]) * sources[k];
        out += at[k] * strides[k];
      }
      for (std::size_t i = 0; i < shape[last]; ++i)
        std::memcpy(out + i * strides[last], in + static_cast<std::ptrdiff_t>(i) * sources[last], value);
      std::size_t k = last;
      while (k > 0 && ++at[k - 1] == shape[k - 1]) at[--k] = 0;
      more = k > 0;
    }
    sent.frames += frame;
  }
  nlohmann::json scan = {{"like", file.string()},
                         {"axes", order},
                         {"shape", shape},
                         {"dtype", a.sample_type == SampleType::int16 ? "int16" : "float32"}};
  if (layout.gap > 0) scan["strides_bytes"] = strides;
  for (std::size_t e = n(a.n_elements()); layout.reversed && e-- > 0;) scan["channel_of_element"].push_back(e);
  sent.scan = scan.dump();
  return sent;
}

void expect_same_images(const std::filesystem::path& file) {
  const TemporaryFolder folder;
  const std::string opened = image_of_file(file, folder);
  ASSERT_FALSE(opened.empty());
  const Recording recording = open_recording(file);
  const Sent as_it_is{nlohmann::json{{"like", file.string()}}.dump(), frames_of(recording)};
  EXPECT_TRUE(image_by_program(file) == opened) << "echoloop send";
  EXPECT_TRUE(image_by_python(as_it_is) == opened) << "Python";
  if (c_sender().empty()) GTEST_SKIP() << "no C compiler";
  EXPECT_TRUE(image_by_c(as_it_is) == opened) << "C";
  EXPECT_TRUE(image_by_c(as_it_is, 3) == opened) << "C, copied by three threads";
  const std::pair<const char*, Layout> layouts[] = {
      {"[element][transmit][time], gaps", {.order = {"element", "transmit", "time"}, .gap = 64}},
      {"[time][transmit][element]", {.order = {"time", "transmit", "element"}}},
      {"elements reversed", {.order = {"transmit", "element", "time"}, .reversed = true}}};
  for (const auto& [name, layout] : layouts) {
    SCOPED_TRACE(name);
    const Sent sent = other_layout(recording, file, layout);
    EXPECT_TRUE(image_by_c(sent) == opened) << "C";
    EXPECT_TRUE(image_by_python(sent) == opened) << "Python";
  }
}

// Covers one recording or more of each layout that is opened as channel data: probes, transmits, RF and IQ, containers,
// packings. What else lies in the folder is covered by the tests of formats; arrays with a description: below.
struct Covered {
  const char* file;    // in the data folder
  const char* format;  // as the viewer names it
};
constexpr Covered kRecordings[] = {
    {"must_pwi_disk/PWI_disk.mat", "MATLAB v5 (MUST)"},
    {"simus_p42v_diverging/simus_p42v_diverging.uff", "UFF (USTB)"},
    {"simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5", "zea"},
    {"simus_c52v_convex/rf.npy", "NumPy array with JSON description"},
    {"simus_c52v_convex/rf_must.mat", "MATLAB v5 (MUST)"},
    {"pybf_field2_pw3/rf_dataset.hdf5", "PyBF"},
    {"pybf_field2_pw3/derived_formats/picmus_layout.hdf5", "PICMUS"},
    {"pybf_field2_pw3/derived_formats/shortcourse_list_p4.pkl", "GPU short-course pickle"},
    {"fk_gammex_nylon/RFdata1.mat", "MATLAB v5 (MUST)"},
    {"format_fixtures/verasonics_like_v5.mat", "Verasonics workspace (MATLAB v5)"},
    {"opendata/plane_iq.hdf5", "zea"},
    {"opendata/hadamard.hdf5", "zea"},
    {"opendata/storage/gzip_shuffle.hdf5", "zea"},
    {"opendata/storage/lzf.hdf5", "zea"},
    {"opendata/storage/float16.hdf5", "zea"},
};

void PrintTo(const Covered& covered, std::ostream* out) { *out << covered.file; }

class LiveRecordings : public ::testing::TestWithParam<Covered> {};
INSTANTIATE_TEST_SUITE_P(Data, LiveRecordings, ::testing::ValuesIn(kRecordings));

TEST_P(LiveRecordings, TheImageIsThatOfOpeningTheFile) {
  ECHO_NEED_DATA(GetParam().file);
  const std::filesystem::path file = testing::data_folder() / GetParam().file;
  EXPECT_EQ(open_recording(file).format, GetParam().format);
  expect_same_images(file);
}

// An array with a description beside it: the description itself, with shape and dtype, is what a sender sends.
struct Array {
  const char* dtype;
  const char* descr;  // of .npy
  std::size_t value;  // bytes
  Words axes;
  std::vector<std::size_t> shape;  // of one frame
};
const Array kArrays[] = {
    {"complex64", "<c8", 8, {"transmit", "element", "time"}, {2, 16, 300}},
    {"complex128", "<c16", 16, {"transmit", "element", "time"}, {2, 16, 300}},
    {"int16", "<i2", 2, {"transmit", "element", "time", "iq"}, {2, 16, 300, 2}},
    {"float32", "<f4", 4, {"element", "transmit", "time", "iq"}, {16, 2, 300, 2}},
    {"int8", "|i1", 1, {"time", "element", "transmit"}, {300, 16, 2}},
    {"uint16", "<u2", 2, {"transmit", "time", "element"}, {2, 300, 16}},
    {"int32", "<i4", 4, {"transmit", "element", "time"}, {2, 16, 300}},
    {"float64", "<f8", 8, {"transmit", "element", "time"}, {2, 16, 300}},
};

template <class T>
void append_value(std::string& out, double x) {
  const T value = static_cast<T>(x);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string values_of(const Array& array) {
  const std::string dtype = array.dtype;
  std::size_t n = kFrames;
  for (const std::size_t side : array.shape) n *= side;
  if (dtype.starts_with("complex")) n *= 2;
  std::string out;
  std::uint32_t random = 1;
  for (std::size_t k = 0; k < n; ++k) {
    random = random * 1664525U + 1013904223U;
    const double x = static_cast<double>(random >> 25) - 64.0;  // -64 to 63
    if (dtype == "complex64" || dtype == "float32") append_value<float>(out, x * 1.25);
    if (dtype == "complex128" || dtype == "float64") append_value<double>(out, x * 1.25);
    if (dtype == "int8") append_value<std::int8_t>(out, x);
    if (dtype == "int16") append_value<std::int16_t>(out, x * 100);
    if (dtype == "uint16") append_value<std::uint16_t>(out, x + 30000);
    if (dtype == "int32") append_value<std::int32_t>(out, x * 1e5);
  }
  return out;
}

std::string npy_file(const Array& array, const std::string& values) {
  std::string shape = std::to_string(kFrames);
  for (const std::size_t side : array.shape) shape += ", " + std::to_string(side);
  return npy(array.descr, false, "(" + shape + ")", values);
}

TEST(LiveArrays, TheImageIsThatOfTheArrayWithTheSameDescription) {
  if (c_sender().empty()) GTEST_SKIP() << "no C compiler";
  for (const Array& array : kArrays) {
    SCOPED_TRACE(array.dtype);
    const TemporaryFolder folder;
    nlohmann::json scan = {
        {"fs_hz", 20e6},
        {"fc_hz", 5e6},
        {"demod_hz", 5e6},
        {"c_m_s", 1540},
        {"pitch_m", 3e-4},
        {"t0_s", {1e-6, 2e-6}},
        {"t_zero", "origin"},
        {"frame_rate_hz", 50},
        {"tx", {{{"kind", "plane"}, {"angle_rad", 0.05}}, {{"kind", "focused"}, {"focus_m", {0, 0.02}}}}}};
    const std::string values = values_of(array);
    Words with_frame = array.axes;
    with_frame.insert(with_frame.begin(), "frame");
    scan["axes"] = with_frame;
    testing::write_text_file(folder / "array.npy", npy_file(array, values));
    testing::write_text_file(folder / "array.json", scan.dump());
    const std::string opened = image_of_file(folder / "array.npy", folder);
    ASSERT_FALSE(opened.empty());
    scan["axes"] = array.axes;
    scan["shape"] = array.shape;
    scan["dtype"] = array.dtype;
    EXPECT_TRUE(image_by_c({scan.dump(), values}) == opened) << "C";
    EXPECT_TRUE(image_by_python({scan.dump(), values}) == opened) << "Python";
    EXPECT_TRUE(image_by_program(folder / "array.npy") == opened) << "echoloop send";
  }
}

}  // namespace
}  // namespace echoloop::live_recordings_test
