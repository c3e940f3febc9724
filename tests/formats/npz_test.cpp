// .npz: stored, deflated and zip64 members, descriptions inside and beside the archive, damage and bombs.
#include <utility>

#include "core/error.h"
#include "formats/containers/archives.h"
#include "formats/support.h"
#include "support/one_line.h"

namespace echoloop::npz_test {
namespace {

using namespace test;

std::string text_array(const std::vector<std::string>& words) {
  std::vector<std::uint32_t> codes;
  for (const std::string& word : words) {
    for (std::size_t k = 0; k < 8; ++k) codes.push_back(k < word.size() ? static_cast<unsigned char>(word[k]) : 0U);
  }
  return npy("<U8", false, "(" + std::to_string(words.size()) + ",)", packed(codes));
}

std::string number(double value) { return npy("<f8", false, "()", packed<double>({value})); }

std::vector<ZipEntry> described_entries(bool deflate) {
  return {{"rf.npy", npy("<i2", false, "(2, 1, 2, 3)", packed<std::int16_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})),
           deflate},
          {"axes.npy", text_array({"frame", "transmit", "element", "time"}), deflate},
          {"t_zero.npy", npy("<U6", false, "()", packed<std::uint32_t>({'o', 'r', 'i', 'g', 'i', 'n'})), deflate},
          {"fs_hz.npy", number(20e6), deflate},
          {"fc_hz.npy", number(5e6), deflate},
          {"c_m_s.npy", number(1500), deflate},
          {"t0_s.npy", number(1e-6), deflate},
          {"pitch_m.npy", number(0.3e-3), deflate},
          {"prf_hz.npy", number(1000), deflate},
          {"tx_angles_rad.npy", npy("<f8", false, "(1,)", packed<double>({0.1})), deflate}};
}

TEST(Npz, OpensWithItsDescriptionInside) {
  const TemporaryFolder folder;
  for (const bool deflate : {false, true}) {
    const Recording recording = open_recording(folder.write("a.npz", zip(described_entries(deflate))));
    const Acquisition& a = *recording.acquisition;
    EXPECT_EQ(recording.frame_count, 2U);
    EXPECT_EQ(a.sample_type, SampleType::int16);
    EXPECT_EQ(a.sound_speed_m_s, 1500.0);
    EXPECT_EQ(a.frame_rate_hz, 1000.0);
    EXPECT_EQ(a.transmits.at(0).angle_rad, 0.1);
    EXPECT_EQ(a.transmits.at(0).t0_s, 1e-6);
    EXPECT_EQ(sample(recording, 1, 0, 1, 2), 11);
    if (deflate) {
      EXPECT_EQ(recording.memory.size(), 24U);  // inflated into page-lockable memory, lent from there
      EXPECT_EQ(recording.memory.data(), recording.frame(0).data());
    }
  }
}

TEST(Npz, FixturesHoldWhatNumpyReads) {
  ECHO_NEED_DATA("");
  for (const char* const name : {"npz_stored.npz", "npz_deflated.npz"}) {
    const std::string content = read_text(testing::data_folder() / "format_fixtures" / name);
    const auto members = read_npz_members(name, bytes_of(content));
    ASSERT_EQ(members.size(), 2U);
    const ArrayView& rf = members.at("rf").npy.array;
    EXPECT_EQ(to_string(rf.type), "float32");
    EXPECT_EQ(rf.shape, (std::vector<std::size_t>{2, 3, 8}));
    for (std::size_t k = 0; k < 48; ++k) EXPECT_EQ(rf.real_at(k), static_cast<double>(k));
    EXPECT_TRUE(members.at("fs").npy.array.shape.empty());
    EXPECT_EQ(members.at("fs").npy.array.real_at(0), 20e6);
  }
}

std::string npz_error(const std::string& content) {
  return testing::error_of([&] { read_npz_members("x.npz", bytes_of(content)); });
}

TEST(Npz, EveryTruncationIsRefused) {
  auto entries = described_entries(true);
  entries.resize(4);
  expect_every_truncation_refused("t.npz", zip(entries));
}

TEST(Npz, AnyFlippedByteIsRefusedOrHarmless) {
  const std::string good = zip({{"rf.npy", npy("<i2", false, "(2, 2)", packed<std::int16_t>({1, 2, 3, 4})), true}});
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      const std::string line = npz_error(bad);
      EXPECT_TRUE(line == "no error" || line.starts_with("x.npz")) << line;
    }
  }
}

void put(std::string& file, std::size_t at, std::uint64_t value, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) file.at(at + k) = static_cast<char>((value >> (8 * k)) & 0xff);
}

TEST(Npz, WrongSizesChecksumsAndBombs) {
  const std::string array = npy("|u1", false, "(100000,)", std::string(100000, '\0'));
  const std::string good = zip({{"rf.npy", array, true}});
  EXPECT_EQ(npz_error(good), "no error");
  const std::size_t entry = good.find("PK\x01\x02");
  for (const std::uint64_t claimed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{99999}, std::uint64_t{100129}, std::uint64_t{0x7fffffff},
        std::uint64_t{0xfffffffe}, std::uint64_t{0xffffffff}}) {
    std::string bad = good;
    put(bad, entry + 24, claimed, 4);
    EXPECT_NE(npz_error(bad), "no error") << claimed;
  }
  std::string wrong_crc = good;
  put(wrong_crc, entry + 16, 12345, 4);
  EXPECT_TRUE(contains(npz_error(wrong_crc), "checksum"));
  std::string encrypted = good;
  put(encrypted, entry + 8, 1, 2);
  EXPECT_TRUE(contains(npz_error(encrypted), "encrypted"));
  std::string method = good;
  put(method, entry + 10, 12, 2);
  EXPECT_TRUE(contains(npz_error(method), "method 12"));
  std::string many = good;
  put(many, good.size() - 12, 65535, 2);
  EXPECT_TRUE(contains(npz_error(many), "members"));
  EXPECT_TRUE(contains(npz_error(zip({{"a.npy", array, true}, {"a.npy", array, true}})), "two members"));
  // Members that share one deflated body: the sum of what they inflate to is bounded by the file's size.
  std::string overlapping = good.substr(0, entry);
  const std::string directory = good.substr(entry, good.size() - entry - 22);
  std::string entries;
  for (int k = 0; k < 2000; ++k) {
    std::string copy = directory;
    copy.replace(copy.find("rf.npy"), 2, std::string{static_cast<char>('A' + k / 50), static_cast<char>('0' + k % 50)});
    entries += copy;
  }
  std::string end = good.substr(good.size() - 22);
  put(end, 10, 2000, 2);
  put(end, 12, entries.size(), 4);
  EXPECT_TRUE(contains(npz_error(overlapping + entries + end), "inflate"));
}

TEST(Npz, Zip64FieldsAreUsed) {
  const std::string array = npy("<i2", false, "(2,)", packed<std::int16_t>({7, -7}));
  const std::string good = zip({{"rf.npy", array, false}});
  const std::size_t entry = good.find("PK\x01\x02");
  std::string extra("\x01\x00\x18\x00", 4);
  extra.resize(28);
  put(extra, 4, array.size(), 8);
  put(extra, 12, array.size(), 8);
  put(extra, 20, 0, 8);
  std::string big = good.substr(0, entry) + good.substr(entry, 52) + extra + good.substr(entry + 52);
  for (const std::size_t field : {20U, 24U, 42U}) put(big, entry + field, 0xffffffff, 4);
  put(big, entry + 30, 28, 2);
  put(big, big.size() - 10, 52 + 28, 4);
  const auto members = read_npz_members("z.npz", bytes_of(big));
  EXPECT_EQ(members.at("rf").npy.array.real_at(1), -7.0);
  put(big, entry + 52 + 20, ~std::uint64_t{0}, 8);  // a local header far outside the file
  EXPECT_NE(npz_error(big), "no error");
}

// A member that takes long is given up in the middle.
TEST(Npz, StopsWhileItInflates) {
  const std::string big =
      zip({{"rf.npy", npy("<i2", false, "(33554432,)", std::string(std::size_t{64} << 20, '\0')), true}});
  int checks = 0;
  const auto stop_at = [&](int n) {
    return [&checks, n] {
      if (++checks == n) throw Error("z.npz", "opening was stopped", "a complete read");
    };
  };
  static_cast<void>(read_npz_members("z.npz", bytes_of(big), stop_at(-1)));
  const int whole = std::exchange(checks, 0);
  EXPECT_GE(whole, 8);  // inflating and the checksum, each every 16 MiB
  EXPECT_THROW(read_npz_members("z.npz", bytes_of(big), stop_at(3)), Error);
  EXPECT_EQ(checks, 3);
}

TEST(Npz, RefusesWithoutDescriptionOrSamples) {
  const TemporaryFolder folder;
  const std::string rf = npy("<f4", false, "(2, 2)", packed<float>({1, 2, 3, 4}));
  EXPECT_TRUE(contains(refusal(folder.write("a.npz", zip({{"rf.npy", rf, false}}))), "without a description"));
  EXPECT_TRUE(contains(refusal(folder.write("b.npz", zip({{"fs_hz.npy", number(1), false}}))), "members fs_hz"));
  EXPECT_TRUE(
      contains(refusal(folder.write("c.npz", zip({{"x.npy", rf, false}, {"y.npy", rf, false}}))), "members x, y"));
  EXPECT_TRUE(contains(refusal(folder.write("d.npz", zip({}))), "members none"));
}

}  // namespace
}  // namespace echoloop::npz_test
