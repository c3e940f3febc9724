// One table over every file of format_fixtures: what open_recording says of it. (The values inside, for the files that
// describe no recording, are checked by the tests of the low-level readers.) Also paths that are no readable file.
#include <map>

#include "formats/support.h"

namespace echoloop::fixtures_test {
namespace {

using namespace test;

constexpr const char* kAngles = "3 angles for 2 transmits";  // the tiny pickles hold 2 transmits and 3 angles
constexpr const char* kNoDescription = "without a description";

const std::map<std::string, std::string>& expected_refusals() {
  static const std::map<std::string, std::string> expected = {
      {"README.md", "a text file"},
      {"list_p4.dis.txt", "a text file"},
      {"bigendian_p4.pkl", kAngles},
      {"bigendian_p5.pkl", kAngles},
      {"complex64_p4.pkl", "'rf' is an array of complex64"},
      {"complex64_p5.pkl", "'rf' is an array of complex64"},
      {"evil_reduce_p4.pkl", "builtins.print"},
      {"fortran_p4.pkl", kAngles},
      {"fortran_p5.pkl", kAngles},
      {"int16_p4.pkl", kAngles},
      {"int16_p5.pkl", kAngles},
      {"list_p2.pkl", kAngles},
      {"list_p3.pkl", kAngles},
      {"list_p4.pkl", kAngles},
      {"list_p5.pkl", kAngles},
      {"ndarray4d_p4.pkl", kAngles},
      {"ndarray4d_p5.pkl", kAngles},
      {"noncontig_p4.pkl", kAngles},
      {"noncontig_p5.pkl", kAngles},
      {"truncated_p4.pkl", "truncated"},
      {"npy_bigendian.npy", kNoDescription},
      {"npy_complex64.npy", kNoDescription},
      {"npy_corder_int16.npy", kNoDescription},
      {"npy_forder_int16.npy", kNoDescription},
      {"npz_stored.npz", kNoDescription},
      {"npz_deflated.npz", kNoDescription},
      {"matio_struct_cell_v73.mat", "param (1x1 struct)"},
  };
  return expected;
}

constexpr const char* kOpens = "verasonics_like_v5.mat";  // verasonics_test.cpp

TEST(Fixtures, EveryFileIsRefusedForTheRightReason) {
  ECHO_NEED_DATA("");
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "format_fixtures")) {
    const std::string name = entry.path().filename().string();
    if (name == kOpens) continue;
    const auto expected = expected_refusals().find(name);
    ASSERT_NE(expected, expected_refusals().end()) << "no expectation for " << name;
    const std::string line = refusal(entry.path());
    EXPECT_TRUE(contains(line, expected->second));
    EXPECT_TRUE(contains(line, name));
    ++n_files;
  }
  EXPECT_EQ(n_files, expected_refusals().size());
}

TEST(Open, RefusesPathsThatAreNoFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(refusal(folder.path() / "missing.npy"), "no such file"));
  std::filesystem::create_directory(folder.path() / "folder");
  EXPECT_TRUE(contains(refusal(folder.path() / "folder"), "a folder"));
  EXPECT_TRUE(contains(refusal("/dev/null"), "not a regular file"));
  EXPECT_TRUE(contains(refusal(folder.write("empty.mat", "")), "an empty file"));
  EXPECT_TRUE(contains(refusal(folder.write("text.pkl", "hello\x01")), "beginning with \"hello\\x01\""));
  EXPECT_TRUE(contains(refusal(folder.write("old.pkl", "(dp0\n.")), "protocol 0 or 1"));
  EXPECT_TRUE(contains(refusal(folder.write("other.h5", "\x89HDF\r\n\x1a\n........")), "HDF5"));
  for (const char* const start :
       {"\x80", "\x80\x02", "\x93NUMPY", "PK\x03\x04", "PK\x05\x06", "MATLAB 5.0", "{", "\x80\x09", "\n"}) {
    EXPECT_NE(refusal(folder.write("short", start)), "") << start;
  }
}

TEST(Open, ReportsProgressAndStops) {
  const TemporaryFolder folder;
  const std::string rf =
      pkl::array("f8", '<', {2, 2, 1, 2}, packed<double>({0.5, 1, 2, 3, 4, 5, 6, 7}));  // to be converted
  const auto file = folder.write("a.pkl", pkl::file(pkl::dict({{"rf", rf}, {"context", pkl::context({0.0F, 0.1F})}})));
  double last = -1.0;
  open_recording(file, [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  });
  EXPECT_EQ(last, 1.0);
  std::stop_source stop;
  EXPECT_THROW(open_recording(
                   file, [&](double) { stop.request_stop(); }, stop.get_token()),
               Error);
}

}  // namespace
}  // namespace echoloop::fixtures_test
