// Everything switched at random while it runs, with the memory and the streams of a real device (support/switching.h).
#include "support/switching.h"

namespace echoloop::switching_test {
namespace {

class SwitchingOnTheGpu : public testing::Switching {
 protected:
  void SetUp() override {
    std::string why_not;
    backend_ = make_cuda_backend(why_not);
    if (backend_ == nullptr) GTEST_SKIP() << why_not;
    most_grown_ = std::size_t{32} << 20;  // the driver's own book-keeping
  }
  void check(testing::Policies policies) {
    run(*backend_, policies, seconds_);
    images_box_.reset();
    for (Mailbox<Image>& past : past_.images) past.reset();
    EXPECT_EQ(backend_->memory().used, 0U) << "bytes that nobody gave back";
  }
  std::unique_ptr<Backend> backend_;
};

TEST_F(SwitchingOnTheGpu, UnderBlockNothingIsLost) { check(testing::Policies::block); }

TEST_F(SwitchingOnTheGpu, PoliciesThatLoseFramesCountThem) { check(testing::Policies::losing); }

}  // namespace
}  // namespace echoloop::switching_test
