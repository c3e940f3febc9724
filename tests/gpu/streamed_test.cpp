// A streamed recording through a session on the GPU (support/streamed_recording.h).
#include "gpu/gpu_support.h"
#include "support/streamed_recording.h"

namespace echoloop::gpu_test::streamed_test {
namespace {

class StreamedToTheGpu : public GpuTest, public ::testing::WithParamInterface<HostMemory> {};

TEST_P(StreamedToTheGpu, IsKeptAsItWasRead) { testing::expect_kept_as_read(gpu(), GetParam()); }

TEST_P(StreamedToTheGpu, GoesOnInAnotherConfiguration) {
  testing::expect_to_go_on_in_another_configuration(gpu(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Memory, StreamedToTheGpu,
                         ::testing::Values(HostMemory::pageable, HostMemory::pinned, HostMemory::write_combined,
                                           HostMemory::mapped),
                         [](const auto& info) { return testing::memory_name(info.param); });

}  // namespace
}  // namespace echoloop::gpu_test::streamed_test
