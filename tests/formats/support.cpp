#include "formats/support.h"

#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "test_paths.h"

namespace echoloop::test {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool assumes(const Acquisition& a, const std::string& words) {
  return std::ranges::any_of(a.assumptions,
                             [&](const Assumption& one) { return one.text.find(words) != std::string::npos; });
}

std::string refusal(const fs::path& path) {
  try {
    const Recording recording = open_recording(path);
    ADD_FAILURE() << path << " opened as " << recording.format;
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_FALSE(contains(line, "\n"));
    EXPECT_TRUE(line.find("; expected ") != line.npos || line.find(" is out of range (") != line.npos) << line;
    EXPECT_TRUE(line.starts_with(path.parent_path().string())) << line;
    EXPECT_LT(line.size(), 600U) << line;
    return line;
  }
  return {};
}

void expect_every_truncation_refused(const std::string& name, const std::string& content, std::size_t step) {
  const TemporaryFolder folder;
  for (std::size_t length = 0; length < content.size(); length += step * kEveryNth) {
    SCOPED_TRACE("cut after " + std::to_string(length) + " of " + std::to_string(content.size()));
    ASSERT_NE(refusal(folder.write(name, std::string_view(content).substr(0, length))), "");
  }
}

double sample(const Recording& recording, std::uint64_t frame, int transmit, int element, int index, int value) {
  const Acquisition& a = *recording.acquisition;
  const auto bytes = recording.frame(frame);
  EXPECT_EQ(bytes.size(), a.frame_bytes());
  const int at = ((transmit * a.n_elements() + element) * a.n_samples + index) * a.values_per_sample() + value;
  if (a.sample_type == SampleType::int16) return reinterpret_cast<const std::int16_t*>(bytes.data())[at];
  return reinterpret_cast<const float*>(bytes.data())[at];
}

double frame_sum(const Recording& recording, std::uint64_t frame) {
  const Acquisition& a = *recording.acquisition;
  double sum = 0.0;
  for (int t = 0; t < a.n_transmits(); ++t) {
    for (int e = 0; e < a.n_elements(); ++e) {
      for (int i = 0; i < a.n_samples; ++i) sum += sample(recording, frame, t, e, i);
    }
  }
  return sum;
}

double computing_time_s() {
  double total_s = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {  // children: ended ones
    rusage used{};
    getrusage(who, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      total_s += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (long pid = 0; children >> pid;) {
      const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
      std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
      std::string skipped;
      for (int k = 0; k < 11; ++k) fields >> skipped;  // up to utime and stime
      double user = 0.0, system = 0.0;
      fields >> user >> system;
      total_s += (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
  }
  return total_s;
}

namespace {

std::string little(std::uint64_t value, std::size_t n) {
  std::string bytes;
  for (std::size_t k = 0; k < n; ++k) bytes += static_cast<char>((value >> (8 * k)) & 0xff);
  return bytes;
}

std::string deflated(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string zip(const std::vector<ZipEntry>& entries) {
  std::string file, directory;
  for (const ZipEntry& entry : entries) {
    const std::string body = entry.deflate ? deflated(entry.content) : entry.content;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(entry.content.data()), entry.content.size());
    const std::string common = little(entry.deflate ? 8 : 0, 2) + little(0, 4) + little(crc, 4) +
                               little(body.size(), 4) + little(entry.content.size(), 4) + little(entry.name.size(), 2) +
                               little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(0, 2) + common + little(0, 2) + little(0, 2) +
                 little(0, 2) + little(0, 4) + little(file.size(), 4) + entry.name;
    file += "PK\x03\x04" + little(20, 2) + little(0, 2) + common + entry.name + body;
  }
  const std::size_t at = file.size();
  return file + directory + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) + little(entries.size(), 2) +
         little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

namespace pkl {

std::string text(const std::string& value) { return 'X' + little(value.size(), 4) + value; }
std::string integer(std::int64_t value) {
  return std::string("\x8a\x08") + little(static_cast<std::uint64_t>(value), 8);
}
std::string real(double value) { return 'G' + packed<double>({value}, Endian::big); }
std::string bytes(const std::string& value) { return 'B' + little(value.size(), 4) + value; }

std::string array(const std::string& dtype, char order, const std::vector<std::int64_t>& shape, const std::string& data,
                  bool fortran) {
  std::string extents = "(";
  for (const std::int64_t extent : shape) extents += integer(extent);
  return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n" + integer(0) + "\x85" + bytes("b") + "\x87R(" +
         integer(1) + extents + "tcnumpy\ndtype\n" + text(dtype) + "\x89\x88\x87R(" + integer(3) +
         text(std::string(1, order)) + "NNN" + integer(-1) + integer(-1) + integer(0) + "tb" +
         (fortran ? "\x88" : "\x89") + bytes(data) + "tb";
}

std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string out = "}(";
  for (const auto& [key, value] : items) out += text(key) + value;
  return out + "u";
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "](";
  for (const std::string& item : items) out += item;
  return out + "e";
}

std::string file(const std::string& root) { return std::string("\x80\x04") + root + "."; }

std::string context(const std::vector<float>& angles) {
  return dict({{"pitch", real(0.3e-3)},
               {"sampling_frequency", real(20e6)},
               {"transmit_frequency", integer(5000000)},
               {"speed_of_sound", real(1540)},
               {"angles", array("f4", '<', {static_cast<std::int64_t>(angles.size())}, packed(angles))}});
}

std::string recording() {
  std::vector<float> values(48);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k);
  return file(dict({{"rf", array("f4", '<', {2, 2, 3, 4}, packed(values))}, {"context", context({-0.1F, 0.1F})}}));
}

}  // namespace pkl
}  // namespace echoloop::test
