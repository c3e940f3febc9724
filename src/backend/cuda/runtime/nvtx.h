// The program's stages as NVTX ranges, for Nsight Systems.
#pragma once

namespace echoloop::cuda {

// Installs the hooks of core/profile_range.h when a profiler is attached; otherwise there is nothing to do. May be
// called again. [any thread]
void install_nvtx_ranges();

}  // namespace echoloop::cuda
