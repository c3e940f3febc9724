// The thread beside the stream: which jobs are done, which give way, and what becomes of a fault.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "backend/analysis.h"
#include "support/streaming.h"

namespace echoloop::job_thread_test {
namespace {

using testing::is_waiting;
using testing::wait_until;

// Jobs are numbers; those below zero fail, and all can be held up.
class JobThreads : public ::testing::Test {
 protected:
  ~JobThreads() override { held_ = false; }

  bool hand_over(int job) {
    return thread_.hand_over([&](int slot) {
      EXPECT_NE(slot, in_work_) << "the job in work is overwritten";
      jobs_.at(static_cast<std::size_t>(slot)) = job;
    });
  }

  // A job that is in work until held_ is false.
  void hold(int job) {
    held_ = true;
    hand_over(job);
    wait_until([this] { return in_work_ >= 0; });
  }

  void work(int slot) {
    in_work_ = slot;
    wait_until([this] { return !held_; });
    const int job = jobs_.at(static_cast<std::size_t>(slot));
    if (job < 0) throw std::runtime_error("job " + std::to_string(job));
    done_.push_back(job);
    in_work_ = -1;
  }

  std::atomic<bool> held_{false};
  std::atomic<int> in_work_{-1};  // slot
  std::array<int, JobThread::kSlots> jobs_{};
  std::vector<int> done_;  // the thread's until it has settled
  JobThread thread_{{.job = [this](int slot) { work(slot); }}};
};

TEST_F(JobThreads, ItDoesWhatIsHandedOver) {
  for (const int job : {4, 7, 1}) {
    EXPECT_FALSE(hand_over(job));
    thread_.drain();
  }
  EXPECT_FALSE(thread_.busy());
  EXPECT_EQ(done_, (std::vector<int>{4, 7, 1}));
}

TEST_F(JobThreads, AJobThatWaitsGivesWayAndTheOneInWorkDoesNot) {
  hold(1);
  EXPECT_TRUE(thread_.busy());
  EXPECT_FALSE(hand_over(2));
  EXPECT_TRUE(hand_over(3));
  EXPECT_TRUE(hand_over(4));
  held_ = false;
  thread_.drain();
  EXPECT_EQ(done_, (std::vector<int>{1, 4}));
}

TEST_F(JobThreads, AJobThatCannotBeWrittenLeavesNoneWaiting) {
  hold(1);
  hand_over(2);
  EXPECT_THROW(thread_.hand_over([](int) { throw std::runtime_error("no room"); }), std::runtime_error);
  held_ = false;
  thread_.drain();
  EXPECT_EQ(done_, std::vector<int>{1});
  EXPECT_FALSE(thread_.failed());
}

TEST_F(JobThreads, AFaultIsToldOnceAndNobodyWaitsForWhatComesLater) {
  hand_over(-5);
  thread_.drain();
  EXPECT_TRUE(thread_.failed());
  EXPECT_EQ(thread_.take_fault(), "job -5");
  EXPECT_EQ(thread_.take_fault(), "");
  in_work_ = -1;
  hand_over(2);
  thread_.drain();
  EXPECT_TRUE(thread_.failed());
  EXPECT_TRUE(done_.empty());
}

TEST_F(JobThreads, EveryJobIsDoneOrGivesWay) {
  constexpr int kJobs = 5000;
  std::size_t replaced = 0;
  for (int job = 1; job <= kJobs; ++job) {
    if (hand_over(job)) ++replaced;
    if (job % 16 == 0) std::this_thread::yield();
  }
  thread_.drain();
  EXPECT_EQ(done_.size() + replaced, static_cast<std::size_t>(kJobs));
  EXPECT_TRUE(std::ranges::is_sorted(done_));
  EXPECT_EQ(done_.back(), kJobs);
}

TEST(JobThread, ItBeginsFirstAndWhatFailsThereEndsIt) {
  std::atomic<int> done{0};
  bool begun = false;
  JobThread good({.begin = [&] { begun = true; }, .job = [&](int) { done += begun ? 1 : 0; }});
  good.hand_over([](int) {});
  good.drain();
  EXPECT_EQ(done, 1);

  JobThread bad({.begin = [] { throw std::runtime_error("no stream"); }, .job = [&](int) { ++done; }});
  bad.hand_over([](int) {});
  bad.drain();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(bad.take_fault(), "no stream");
}

TEST(JobThread, ItLooksByItself) {
  std::atomic<int> looks{0};
  const JobThread thread({.job = [&](int) { ++looks; }, .look_every = std::chrono::milliseconds(1)});
  wait_until([&] { return looks >= 3; });
}

TEST(JobThread, ItsEndWaitsForTheJobInWorkOnly) {
  std::atomic<int> begun{0}, ended{0};
  std::atomic<bool> all_given{false};
  {
    JobThread thread({.job = [&, ending = ::gettid()](int) {
      ++begun;
      wait_until([&] { return all_given && is_waiting(ending); });  // in the destructor
      ++ended;
    }});
    thread.hand_over([](int) {});
    wait_until([&] { return begun == 1; });
    thread.hand_over([](int) {});
    all_given = true;
  }
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace echoloop::job_thread_test
