// Claims of render: exclusive between threads and processes, taken over from those that have ended.
#include "app/render_claims.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace echoloop::render_claims_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

// Returns the number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

void change(const fs::path& claim, const char* key, const nlohmann::json& value) {
  nlohmann::json text = nlohmann::json::parse(testing::read_text(claim));
  text[key] = value;
  testing::write_text_file(claim, text.dump());
}

void set_age(const fs::path& file, std::chrono::seconds age) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

// Makes the claim of this process anew, as if its program did not renew it.
void leave_claim(const fs::path& file) {
  fs::remove(file);
  RenderClaims other;
  ASSERT_TRUE(other.take(file));
  const std::string text = testing::read_text(file);
  other.release(file);
  testing::write_text_file(file, text);
}

TEST(RenderClaims, AreExclusiveAndRemoved) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.claim";
  {
    RenderClaims one, two;
    EXPECT_TRUE(one.take(file));
    EXPECT_TRUE(one.holds(file));
    EXPECT_FALSE(one.take(file));
    EXPECT_FALSE(two.take(file));
    EXPECT_FALSE(two.holds(file));
    two.release(file);  // not its own
    EXPECT_TRUE(fs::exists(file));
    one.release(file);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_TRUE(two.take(file));
    const nlohmann::json text = nlohmann::json::parse(testing::read_text(file));
    EXPECT_EQ(text["pid"], ::getpid());
    EXPECT_NE(text["host"], "");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(RenderClaims, OfEndedProcessesOfThisHostAreTakenOver) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.claim";
  leave_claim(file);
  RenderClaims claims;
  EXPECT_FALSE(claims.take(file)) << "its process, this one, lives";
  change(file, "pid", ended_process());
  change(file, "host", "another");
  EXPECT_FALSE(claims.take(file)) << "a process of another host may live";
  leave_claim(file);
  change(file, "pid", ended_process());
  change(file, "process_space", "pid:[1]");
  EXPECT_FALSE(claims.take(file)) << "a process of another container may live";
  leave_claim(file);
  change(file, "pid", ended_process());
  EXPECT_TRUE(claims.take(file));
  EXPECT_TRUE(claims.holds(file));
}

TEST(RenderClaims, WithoutRenewalAreTakenOver) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.claim";
  RenderClaims stopped;
  ASSERT_TRUE(stopped.take(file));
  RenderClaims claims;
  set_age(file, RenderClaims::kLongest - std::chrono::seconds(5));
  EXPECT_FALSE(claims.take(file));
  set_age(file, RenderClaims::kLongest + std::chrono::seconds(5));
  EXPECT_TRUE(claims.take(file));
  EXPECT_FALSE(stopped.holds(file));
  stopped.release(file);  // no longer its own
  EXPECT_TRUE(claims.holds(file));
  for (const char* const text : {"", "{", "7", R"({"pid": "x"})"}) {
    const fs::path other = folder / "b.claim";
    testing::write_text_file(other, text);
    EXPECT_FALSE(claims.take(other)) << text;
    set_age(other, RenderClaims::kLongest + std::chrono::seconds(5));
    EXPECT_TRUE(claims.take(other)) << text;
    claims.release(other);
  }
}

TEST(RenderClaims, FaultsNameTheFile) {
  const TemporaryFolder folder;
  RenderClaims claims;
  EXPECT_THROW((void)claims.take(folder / "none" / "a.claim"), Fault);
}

// Many processes want one leftover claim, again and again: one gets it.
TEST(RenderClaims, OneOfManyTakesOver) {
  const TemporaryFolder folder;
  const pid_t gone = ended_process();
  for (int round = 0; round < 20; ++round) {
    const fs::path file = folder / (std::to_string(round) + ".claim");
    leave_claim(file);
    change(file, "pid", gone);
    std::array<int, 2> start{}, done{};
    ASSERT_EQ(::pipe2(start.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(done.data(), O_CLOEXEC), 0);
    std::array<pid_t, 4> children{};
    for (pid_t& child : children) {
      child = ::fork();
      if (child != 0) continue;
      ::close(start[1]);
      char any = 0;
      static_cast<void>(::read(start[0], &any, 1));  // returns for all of them at once
      RenderClaims claims;
      const bool taken = claims.take(file);
      ::close(done[1]);
      static_cast<void>(::read(done[0], &any, 1));  // all have tried
      ::_exit(taken ? 1 : 0);
    }
    ::close(start[0]);
    ::close(start[1]);
    ::close(done[0]);
    ::close(done[1]);
    int winners = 0;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      winners += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
    }
    EXPECT_EQ(winners, 1) << round;
  }
}

}  // namespace
}  // namespace echoloop::render_claims_test
