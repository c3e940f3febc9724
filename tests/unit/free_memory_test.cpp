// What this process may take: the machine's free memory and the limits of its control groups, in a tree of files as
// Linux has them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/process_memory.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::free_memory_test {
namespace {

constexpr std::size_t kMB = 1'000'000;

class FreeMemory : public ::testing::Test {
 protected:
  FreeMemory() { write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8000000 kB\n"); }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void write_group(const std::string& group, const std::string& most_mb, int used_mb, int pages_mb = 0) const {
    write(group + "/memory.max", most_mb == "max" ? "max\n" : most_mb + "000000\n");
    write(group + "/memory.current", std::to_string(used_mb) + "000000\n");
    write(group + "/memory.stat", "anon 5\nactive_file 0\ninactive_file " + std::to_string(pages_mb) + "000000\n");
  }
  [[nodiscard]] std::size_t free_mb() const { return free_host_memory(folder_.path()) / kMB; }

  TemporaryFolder folder_;
};

TEST_F(FreeMemory, IsTheMachinesWithoutGroups) { EXPECT_EQ(free_mb(), 8192U); }

TEST_F(FreeMemory, IsWhatTheAddressSpaceLeaves) {
  write("proc/self/limits", "Max address space         5000000000           unlimited            bytes\n");
  write("proc/self/status", "VmPeak: 9 kB\nVmSize:   1000000 kB\n");
  EXPECT_EQ(free_mb(), 3976U);
}

TEST_F(FreeMemory, IsTheLeastThatAGroupAboveLeaves) {
  write("proc/self/cgroup", "0::/user/job\n");
  write_group("sys/fs/cgroup/user/job", "max", 300);
  EXPECT_EQ(free_mb(), 8192U) << "no limit";
  write_group("sys/fs/cgroup/user", "2000", 500);
  EXPECT_EQ(free_mb(), 1500U);
  write_group("sys/fs/cgroup/user/job", "700", 300);
  EXPECT_EQ(free_mb(), 400U);
  write_group("sys/fs/cgroup/user/job", "700", 900);
  EXPECT_EQ(free_mb(), 0U);
  write_group("sys/fs/cgroup/user/job", "20000", 300);
  EXPECT_EQ(free_mb(), 1500U) << "more than the machine has";
}

TEST_F(FreeMemory, PagesOfFilesAreGivenBack) {
  write("proc/self/cgroup", "0::/job\n");
  write_group("sys/fs/cgroup/job", "1000", 990, 600);
  EXPECT_EQ(free_mb(), 610U) << "a recording that was read through";
}

TEST_F(FreeMemory, OfAContainerThatSeesItsOwnGroupOnly) {
  write("proc/self/cgroup", "0::/docker/1234\n");
  write_group("sys/fs/cgroup", "900", 100);
  EXPECT_EQ(free_mb(), 800U);
}

TEST_F(FreeMemory, OfGroupsOfVersion1) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/a/b\n1:cpu:/c\n0::/\n");
  const std::string group = "sys/fs/cgroup/memory/a/";
  for (const std::string& at : {group, group + "b/"}) write(at + "memory.limit_in_bytes", "9223372036854771712\n");
  for (const std::string& at : {group, group + "b/"}) write(at + "memory.usage_in_bytes", "250000000\n");
  EXPECT_EQ(free_mb(), 8192U) << "no limit";
  write(group + "memory.limit_in_bytes", "1000000000\n");
  EXPECT_EQ(free_mb(), 750U);
  write(group + "memory.stat", "inactive_file 1\ntotal_inactive_file 150000000\ntotal_active_file 50000000\n");
  EXPECT_EQ(free_mb(), 950U);
}

}  // namespace
}  // namespace echoloop::testing::free_memory_test
