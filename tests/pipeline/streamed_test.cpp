// A streamed recording through a session on the CPU (support/streamed_recording.h).
#include "support/streamed_recording.h"

namespace echoloop::streamed_test {
namespace {

class StreamedRecording : public ::testing::TestWithParam<HostMemory> {};

TEST_P(StreamedRecording, IsKeptAsItWasRead) { testing::expect_kept_as_read(*make_cpu_backend(2), GetParam()); }

TEST_P(StreamedRecording, GoesOnInAnotherConfiguration) {
  testing::expect_to_go_on_in_another_configuration(*make_cpu_backend(2), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Memory, StreamedRecording,
                         ::testing::Values(HostMemory::pageable, HostMemory::pinned, HostMemory::mapped),
                         [](const auto& info) { return testing::memory_name(info.param); });

}  // namespace
}  // namespace echoloop::streamed_test
