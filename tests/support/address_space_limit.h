// While it lives, what is started gets no more address space than this, as by `ulimit -v`.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace echoloop::testing {

class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(rlim_t bytes) {
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
    rlimit small = before_;
    small.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  }
  ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace echoloop::testing
