// Everything switched at random while it runs, on lanes that compute nothing and on the CPU (support/switching.h).
#include "support/switching.h"

namespace echoloop::switching_test {
namespace {

using testing::Policies;
using testing::Switching;

TEST_F(Switching, UnderBlockNothingIsLost) { run(fake_, Policies::block, seconds_); }

TEST_F(Switching, PoliciesThatLoseFramesCountThem) { run(fake_, Policies::losing, seconds_); }

TEST_F(Switching, OnTheCpu) {
  const std::unique_ptr<Backend> cpu = make_cpu_backend(2);
  run(*cpu, Policies::block, seconds_);
}

}  // namespace
}  // namespace echoloop::switching_test
