// Limits a resource of this process and its children during its lifetime: RLIMIT_AS, address space, as by `ulimit -v`;
// RLIMIT_FSIZE, the length of each file, which acts as a full disk.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace echoloop::testing {

class ResourceLimit {
 public:
  ResourceLimit(__rlimit_resource what, rlim_t most) : what_(what) {
    if (what == RLIMIT_FSIZE) std::signal(SIGXFSZ, SIG_IGN);  // inherited by children
    EXPECT_EQ(::getrlimit(what_, &before_), 0);
    rlimit small = before_;
    small.rlim_cur = most;
    EXPECT_EQ(::setrlimit(what_, &small), 0);
  }
  ~ResourceLimit() { ::setrlimit(what_, &before_); }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;

 private:
  const __rlimit_resource what_;
  rlimit before_{};
};

}  // namespace echoloop::testing
