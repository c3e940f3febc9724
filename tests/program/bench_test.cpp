// The table that `echoloop bench` writes as JSON, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/run_program.h"

namespace echoloop::bench_test {
namespace {

using namespace testing;

TEST(Bench, ObjectsAsJson) {
  const TemporaryFolder folder;
  const std::string out = (folder / "bench.json").string();
  const Ended ended =
      run_program({"bench", "structure", "--backend", "cpu", "--seconds", "0.05", "--revision", "abc", "--json", out});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json record = nlohmann::json::parse(read_text(out));
  EXPECT_EQ(record.at("revision"), "abc");
  ASSERT_EQ(record.at("results").size(), 1U);
  const nlohmann::json& row = record.at("results")[0];
  EXPECT_EQ(row.at("case"), "structure");
  EXPECT_EQ(row.at("nx"), 512);
  EXPECT_EQ(row.at("objects"), 64) << "discs";
  EXPECT_GT(row.at("p50_ms").get<double>(), 0.0);
  EXPECT_GE(row.at("p99_ms").get<double>(), row.at("p50_ms").get<double>());
  EXPECT_NE(ended.out.find("structure objects"), std::string::npos) << ended.out;
}

TEST(Bench, FlowAsJson) {
  const TemporaryFolder folder;
  const std::string out = (folder / "bench.json").string();
  const Ended ended = run_program({"bench", "flow", "--backend", "cpu", "--seconds", "0.05", "--json", out});
  ASSERT_EQ(ended.status, 0) << ended.err;
  int ensembles = 0, beside = 0;
  const nlohmann::json record = nlohmann::json::parse(read_text(out));
  for (const nlohmann::json& row : record.at("results")) {
    EXPECT_EQ(row.at("case"), "flow");
    EXPECT_EQ(row.at("new_frames"), 8);
    if (row.at("what") == "ensemble") {
      ++ensembles;
      const double parts_ms = row.at("decompose_ms").get<double>() + row.at("filter_ms").get<double>();
      EXPECT_GT(row.at("decompose_ms").get<double>(), 0.0);
      EXPECT_GT(row.at("p99_ms").get<double>(), 0.2 * parts_ms);
    } else {
      ++beside;
      EXPECT_EQ(row.at("what"), "beside S1");
      EXPECT_NEAR(row.at("of_off").get<double>(),
                  row.at("frames_per_second").get<double>() / row.at("off_frames_per_second").get<double>(), 1e-9);
      EXPECT_TRUE(row.contains("pictures_per_second"));
    }
  }
  EXPECT_EQ(ensembles, 2);
  EXPECT_EQ(beside, 2);
}

TEST(Bench, ACaseThatThereIsNot) {
  const Ended ended = run_program({"bench", "S3"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("'S3'"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("structure"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace echoloop::bench_test
