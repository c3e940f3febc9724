// .npy headers, every element type and byte order, and the fixtures that numpy wrote.
#include <cmath>
#include <limits>

#include "formats/containers/archives.h"
#include "formats/containers/array_view.h"
#include "formats/support.h"
#include "support/one_line.h"

namespace echoloop::npy_test {
namespace {

using namespace test;

std::string npy_error(const std::string& content) {
  return testing::error_of([&] { read_npy("x.npy", bytes_of(content)); });
}

template <class T>
void expect_round_trip(const std::string& code, bool fortran) {
  const std::vector<T> values = {std::numeric_limits<T>::lowest(), T(0), T(1), T(5), T(100),
                                 std::numeric_limits<T>::max()};
  for (const Endian endian : {Endian::little, Endian::big}) {
    const std::string mark = sizeof(T) == 1 ? "|" : endian == Endian::big ? ">" : "<";
    for (const int version : {1, 2, 3}) {
      const std::string content = npy(mark + code, fortran, "(2, 3)", packed(values, endian), version);
      const NpyFile file = read_npy("x.npy", bytes_of(content));
      ASSERT_EQ(file.array.shape, (std::vector<std::size_t>{2, 3}));
      EXPECT_EQ(file.array.order == MemoryOrder::fortran, fortran);
      for (std::size_t k = 0; k < values.size(); ++k)
        EXPECT_EQ(file.array.real_at(k), static_cast<double>(values[k])) << code << mark;
    }
  }
}

TEST(Npy, RoundTripOfEveryTypeOrderAndVersion) {
  for (const bool fortran : {false, true}) {
    expect_round_trip<std::int8_t>("i1", fortran);
    expect_round_trip<std::uint8_t>("u1", fortran);
    expect_round_trip<std::int16_t>("i2", fortran);
    expect_round_trip<std::uint16_t>("u2", fortran);
    expect_round_trip<std::int32_t>("i4", fortran);
    expect_round_trip<std::uint32_t>("u4", fortran);
    expect_round_trip<std::int64_t>("i8", fortran);
    expect_round_trip<std::uint64_t>("u8", fortran);
    expect_round_trip<float>("f4", fortran);
    expect_round_trip<double>("f8", fortran);
  }
}

// 1, -2, the largest, the smallest subnormal, infinity, NaN; numpy writes these bits.
TEST(Npy, HalfPrecision) {
  const std::vector<std::uint16_t> bits = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x7e00};
  for (const Endian endian : {Endian::little, Endian::big}) {
    const std::string content = npy(endian == Endian::big ? ">f2" : "<f2", false, "(6,)", packed(bits, endian));
    const NpyFile file = read_npy("x.npy", bytes_of(content));
    EXPECT_EQ(file.array.real_at(0), 1.0);
    EXPECT_EQ(file.array.real_at(1), -2.0);
    EXPECT_EQ(file.array.real_at(2), 65504.0);
    EXPECT_EQ(file.array.real_at(3), std::ldexp(1.0, -24));
    EXPECT_EQ(file.array.real_at(4), HUGE_VAL);
    EXPECT_TRUE(std::isnan(file.array.real_at(5)));
  }
}

TEST(Npy, ComplexScalarAndTextArrays) {
  const std::string complex = npy("<c8", false, "(2,)", packed<float>({1, 2, 3, 4}));
  const NpyFile file = read_npy("c.npy", bytes_of(complex));
  EXPECT_EQ(file.array.type.kind, NumberKind::complex);
  EXPECT_EQ(file.array.real_at(1), 3.0);
  const std::string scalar = npy("<f8", false, "()", packed<double>({2.5}));
  EXPECT_EQ(read_npy("s.npy", bytes_of(scalar)).array.real_at(0), 2.5);
  const std::string words = npy("<U3", false, "(2,)", packed<std::uint32_t>({'a', 'b', 0, 'x', 0x3b1, 'z'}));
  EXPECT_EQ(read_npy("w.npy", bytes_of(words)).text, (std::vector<std::string>{"ab", "x?z"}));
}

TEST(Npy, HeaderGrammar) {
  const auto with_header = [](const std::string& header) {
    return npy_error(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xff) +
                     static_cast<char>(header.size() >> 8) + header + packed<float>({1, 2, 3, 4}));
  };
  EXPECT_EQ(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}"), "no error");
  EXPECT_EQ(with_header("{\"shape\": (4L,), \"descr\": \"<f4\", \"fortran_order\": True, }  \n"), "no error");
  for (const char* const header :
       {"",
        "{",
        "}",
        "[]",
        "0",
        "{}",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [4]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 4}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} + exit()",
        "__import__('os').system('true')",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f4', 'x': 1, 'fortran_order': False, 'shape': (4,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U99999999999999999999', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U4000000000', 'fortran_order': False, 'shape': (4000000000,)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (9999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (5,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807, 9223372036854775807)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4"}) {
    const std::string line = with_header(header);
    EXPECT_TRUE(line.starts_with("x.npy: ")) << header << " -> " << line;
  }
  EXPECT_TRUE(contains(npy_error(std::string("\x93NUMPY\x04\x00\x02\x00{}", 12)), "version 4"));
  EXPECT_TRUE(contains(npy_error(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), "header of 4294967295"));
}

struct NpyFixture {
  const char* name;
  const char* type;
  bool fortran;
};

TEST(Npy, FixturesHoldWhatNumpyReads) {
  ECHO_NEED_DATA("");
  for (const NpyFixture& expected :
       {NpyFixture{"npy_bigendian.npy", "float32, big-endian", false},
        NpyFixture{"npy_complex64.npy", "complex64", false}, NpyFixture{"npy_corder_int16.npy", "int16", false},
        NpyFixture{"npy_forder_int16.npy", "int16", true}}) {
    const std::string content = read_text(testing::data_folder() / "format_fixtures" / expected.name);
    const ArrayView array = read_npy(expected.name, bytes_of(content)).array;
    EXPECT_EQ(to_string(array.type), expected.type);
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3, 8}));
    EXPECT_EQ(array.order == MemoryOrder::fortran, expected.fortran);
    for (std::size_t k = 0; k < 48; ++k) {  // value k at C-order index k
      const std::size_t at =
          k / 24 * array.stride_bytes(0) + k / 8 % 3 * array.stride_bytes(1) + k % 8 * array.stride_bytes(2);
      ASSERT_EQ(array.real_at(at / array.type.bytes), static_cast<double>(k)) << expected.name;
      if (array.type.kind != NumberKind::complex) continue;
      const ArrayView parts{.type = {NumberKind::real, 4, ByteOrder::little},
                            .shape = {96},
                            .order = MemoryOrder::c,
                            .bytes = array.bytes};
      ASSERT_EQ(parts.real_at(2 * k + 1), static_cast<double>(k));
    }
  }
}

}  // namespace
}  // namespace echoloop::npy_test
