// A recording copied once into memory of the wanted kind, from which its frames are lent: so a GPU's copies run at the
// bus's rate, and the kinds can be compared. Why a copy and not page-locking in place: drivers lock anonymous memory
// well, but pages of a mapped file at best slowly (and here and there for ever).
#pragma once

#include <memory>

#include "backend/backend.h"
#include "source/source.h"

namespace echoloop {

// `source` with its frames in memory of `kind`; `source` itself when that makes no sense: it does not lend its frames,
// pageable memory is wanted (they lie in such), the copy would be too big, or the backend has no such memory.
std::shared_ptr<Source> with_frames_in(HostMemory kind, const std::shared_ptr<Source>& source, Backend& backend);

// Bytes of the copy that with_frames_in() would make; 0 = none.
std::size_t memory_copy_bytes(HostMemory kind, Source& source);

inline constexpr std::size_t kMaxMemoryCopy = std::size_t{1} << 30;  // 1 GiB: copied in well under a second

}  // namespace echoloop
