// The restricted unpickler: values of every fixture, and hand-made hostile pickles.
#include "formats/containers/pickle.h"

#include <algorithm>

#include "formats/support.h"
#include "support/one_line.h"

namespace echoloop::pickle_test {
namespace {

using namespace test;

struct PickleFixture {
  const char* name;
  const char* type;
  std::vector<std::size_t> shape;
  std::size_t n_frames;
  double step;  // value k in C order of frame f is step * k + 100 f
  double pitch_m;
};

const std::vector<PickleFixture>& pickle_fixtures() {
  static const std::vector<PickleFixture> fixtures = {
      {"bigendian_p4.pkl", "float32, big-endian", {2, 3, 8}, 1, 1, 0.23e-3},
      {"bigendian_p5.pkl", "float32, big-endian", {2, 3, 8}, 1, 1, 0.23e-3},
      {"complex64_p4.pkl", "complex64", {2, 3, 8}, 1, 1, 0.23e-3},
      {"complex64_p5.pkl", "complex64", {2, 3, 8}, 1, 1, 0.23e-3},
      {"fortran_p4.pkl", "float32", {2, 3, 8}, 1, 1, 0.23e-3},
      {"fortran_p5.pkl", "float32", {2, 3, 8}, 1, 1, 0.23e-3},
      {"int16_p4.pkl", "int16", {2, 3, 8}, 1, 1, 0.3e-3},
      {"int16_p5.pkl", "int16", {2, 3, 8}, 1, 1, 0.3e-3},
      {"list_p2.pkl", "float32", {2, 3, 8}, 2, 1, 0.23e-3},
      {"list_p3.pkl", "float32", {2, 3, 8}, 2, 1, 0.23e-3},
      {"list_p4.pkl", "float32", {2, 3, 8}, 2, 1, 0.23e-3},
      {"list_p5.pkl", "float32", {2, 3, 8}, 2, 1, 0.23e-3},
      {"ndarray4d_p4.pkl", "float32", {2, 2, 3, 8}, 1, 1, 0.23e-3},
      {"ndarray4d_p5.pkl", "float32", {2, 2, 3, 8}, 1, 1, 0.23e-3},
      {"noncontig_p4.pkl", "float32", {2, 3, 4}, 1, 2, 0.23e-3},
      {"noncontig_p5.pkl", "float32", {2, 3, 4}, 1, 2, 0.23e-3},
  };
  return fixtures;
}

// Value at C-order index `k`, through the strides of the array.
double c_order_value(const ArrayView& array, std::size_t k) {
  std::size_t offset = 0;
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    offset += k % array.shape[axis] * array.stride_bytes(axis);
    k /= array.shape[axis];
  }
  return array.real_at(offset / array.type.bytes);
}

class PickleFixtures : public ::testing::TestWithParam<PickleFixture> {};

TEST_P(PickleFixtures, HoldWhatPythonReads) {
  ECHO_NEED_DATA("");
  const PickleFixture& expected = GetParam();
  const std::string content = read_text(testing::data_folder() / "format_fixtures" / expected.name);
  const pickle::Tree tree = pickle::load(expected.name, bytes_of(content));
  const pickle::Value* const rf = tree.find(tree[tree.root], "rf");
  ASSERT_NE(rf, nullptr);
  std::vector<ArrayView> frames;
  if (const auto* const list = std::get_if<pickle::List>(rf)) {
    for (const pickle::Ref item : list->items) frames.push_back(std::get<ArrayView>(tree[item]));
  } else {
    frames.push_back(std::get<ArrayView>(*rf));
  }
  ASSERT_EQ(frames.size(), expected.n_frames);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    EXPECT_EQ(to_string(frames[f].type), expected.type);
    EXPECT_EQ(frames[f].shape, expected.shape);
    for (std::size_t k = 0; k < frames[f].count(); ++k) {
      const double second_frame = frames[f].shape.size() == 4 && k >= 48 ? 52.0 : 0.0;  // 100 + (k - 48)
      ASSERT_EQ(c_order_value(frames[f], k),
                expected.step * static_cast<double>(k) + 100.0 * static_cast<double>(f) + second_frame);
    }
  }
  const pickle::Value& context = *tree.find(tree[tree.root], "context");
  EXPECT_EQ(std::get<double>(*tree.find(context, "pitch")), expected.pitch_m);
  EXPECT_EQ(std::get<double>(*tree.find(context, "sampling_frequency")), 20e6);
  const auto& angles = std::get<ArrayView>(*tree.find(context, "angles"));
  EXPECT_EQ(angles.shape, std::vector<std::size_t>{3});
  EXPECT_FLOAT_EQ(static_cast<float>(angles.real_at(0)), -0.20943952F);
}

INSTANTIATE_TEST_SUITE_P(All, PickleFixtures, ::testing::ValuesIn(pickle_fixtures()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

std::string error_of(const std::string& content) {
  return testing::error_of([&] { pickle::load("x.pkl", bytes_of(content)); });
}

TEST(Pickle, RefusesEveryOpcodeOffTheList) {
  const std::string accepted =
      "(}])\x85\x86\x87taesuqr\x94hj\x95N\x88\x89KMJ\x8aG\x8cXCB\x8e\x96"
      "c\x93Rb\x81.";
  for (int code = 0; code < 256; ++code) {
    if (accepted.find(static_cast<char>(code)) != std::string::npos) continue;
    const std::string line = error_of(pkl::file("N" + std::string(1, static_cast<char>(code)) + std::string(16, '\0')));
    EXPECT_TRUE(contains(line, "pickle opcode")) << code << ": " << line;
  }
  EXPECT_TRUE(contains(error_of("\x80\x04i"), "INST"));
  EXPECT_TRUE(contains(error_of("\x80\x04\x92"), "NEWOBJ_EX"));
}

TEST(Pickle, RefusesEveryNameOffTheList) {
  for (const char* const name :
       {"os\nsystem\n", "builtins\neval\n", "posix\nsystem\n", "numpy\nload\n", "_codecs\ndecode\n",
        "numpy.core.multiarray\nfromfile\n", "numpy.core.multiarray \n_reconstruct\n", "\n\n"}) {
    EXPECT_TRUE(contains(error_of(pkl::file(std::string("c") + name)), "a request for ")) << name;
  }
  EXPECT_TRUE(contains(error_of(pkl::file(pkl::text("os") + pkl::text("system") + "\x93")), "os.system"));
  EXPECT_TRUE(contains(error_of(pkl::file("cnumpy\nndarray\n)R")), "direct call"));
  EXPECT_TRUE(contains(error_of(pkl::file(pkl::text("\x1b[31m") + pkl::text("\n") + "\x93")), "?[31m.?"));
}

// Objects of ARRUS are their names and attributes; of no other library.
TEST(Pickle, ObjectsOfArrusAreTheirAttributes) {
  const std::string state = pkl::dict({{"pitch", pkl::real(3e-4)}});
  const std::string content = pkl::file("carrus.devices.probe\nProbeModel\n)\x81" + state + "b");
  const pickle::Tree tree = pickle::load("x.pkl", bytes_of(content));
  const auto* const object = std::get_if<pickle::Opaque>(&tree[tree.root]);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->name, "arrus.devices.probe.ProbeModel");
  EXPECT_EQ(std::get<double>(*tree.find(tree[object->state], "pitch")), 3e-4);
  EXPECT_TRUE(contains(error_of(pkl::file("csubprocess\nPopen\n)\x81")), "subprocess.Popen"));
  EXPECT_TRUE(contains(error_of(pkl::file("carruso\nx\n)\x81")), "arruso.x"));
}

TEST(Pickle, RefusesDamage) {
  const std::string values = packed<float>({1, 2, 3, 4});
  const auto array = [&](const std::string& type, char order, const std::vector<std::int64_t>& shape) {
    return error_of(pkl::file(pkl::array(type, order, shape, values)));
  };
  EXPECT_EQ(array("f4", '<', {2, 2}), "no error");
  EXPECT_EQ(array("f4", '>', {4, 1}), "no error");
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3},
                                                                  {5},
                                                                  {-4},
                                                                  {-2, -2},
                                                                  {std::int64_t{1} << 62, 16},
                                                                  {std::int64_t{1} << 32, std::int64_t{1} << 32, 4},
                                                                  {0},
                                                                  {std::int64_t{1} << 61},
                                                                  std::vector<std::int64_t>(17, 1)}) {
    EXPECT_NE(array("f4", '<', shape), "no error");
  }
  for (const char* const type :
       {"O8", "V4", "U4", "S4", "f1", "f16", "i3", "b2", "f", "", "c4", "f44444444444444444444"}) {
    EXPECT_TRUE(contains(array(type, '<', {4}), "dtype")) << type;
  }
  EXPECT_NE(array("f4", '!', {4}), "no error");
  EXPECT_NE(error_of(pkl::file(pkl::array("f4", '<', {4}, values) + pkl::integer(1) + "b")), "no error");
  for (const char* const damaged : {"e",
                                    "a",
                                    "u",
                                    "s",
                                    "t",
                                    "R",
                                    "b",
                                    "\x93",
                                    "h\x05",
                                    "j\xff\xff\xff\xff",
                                    "q\x01",
                                    "N(q\x01",
                                    "(e",
                                    "](NNu",
                                    "}(Nu",
                                    "\x85",
                                    "\x87",
                                    "NNR",
                                    "cnumpy\nndarray\nNR",
                                    "N)b",
                                    "\x8a\xff",
                                    "cnumpy",
                                    "r\xff\xff\xff\x7f",
                                    "Nr\xff\xff\x01"}) {
    EXPECT_NE(error_of(pkl::file(damaged)), "no error") << damaged;
  }
}

TEST(Pickle, BombsStayFlat) {
  std::string nested = "]";
  for (int k = 0; k < 100000; ++k) nested += "]\x94";  // 100000 lists on the stack are fine ...
  EXPECT_EQ(error_of(pkl::file(nested + "N")), "no error");
  std::string chain = "]\x94";
  for (int k = 0; k < 100000; ++k)
    chain += "\x85";  // ... and so is a tuple in a tuple in ..., because nothing recurses
  EXPECT_EQ(error_of(pkl::file(chain)), "no error");
  EXPECT_TRUE(contains(error_of(pkl::file(std::string(65, '(') + "N")), "nesting"));
  EXPECT_EQ(error_of(pkl::file("]\x94h" + std::string(1, '\0') + "a")), "no error");  // a list that holds itself
  std::string laughs = "]\x94";
  for (int k = 0; k < 40; ++k)
    laughs += "](" + std::string("h") + static_cast<char>(k) + "h" + static_cast<char>(k) + "e\x94";
  EXPECT_EQ(error_of(pkl::file(laughs)), "no error");
  std::string encoded = pkl::text(std::string(100000, 'x')) + "\x94" + pkl::text("latin1") + "\x86\x94";
  for (int k = 0; k < 1000; ++k) encoded += "c_codecs\nencode\nh\x01R";
  EXPECT_TRUE(contains(error_of(pkl::file(encoded)), "encoded repeatedly"));
  EXPECT_TRUE(contains(error_of(pkl::file(std::string(5 << 20, 'N'))), "more than"));
}

}  // namespace
}  // namespace echoloop::pickle_test
