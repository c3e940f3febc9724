// A recording copied once into memory of the wanted kind, from which its frames are lent: so a GPU's copies run at the
// bus's rate, and the kinds can be compared. Why a copy and not page-locking in place: drivers lock anonymous memory
// well, but pages of a mapped file at best slowly (and here and there for ever).
#pragma once

#include <memory>

#include "backend/backend.h"
#include "source/source.h"

namespace echoloop {

// Whether frames of `source` are to lie in other memory than they do: it lends them, and other than pageable memory is
// wanted.
bool wants_other_memory(HostMemory kind, Source& source, Backend& backend);

// Bytes of the copy made before a stream starts; 0: none, also for recordings beyond kMaxMemoryCopy, whose frames are
// brought there while they are streamed (background_memory.h).
std::size_t memory_copy_bytes(HostMemory kind, Source& source);

// `source` with its frames in memory of `kind`; `source` itself when the backend has no such memory.
std::shared_ptr<Source> with_frames_in(HostMemory kind, const std::shared_ptr<Source>& source, Backend& backend);

inline constexpr std::size_t kMaxMemoryCopy = std::size_t{1} << 30;  // 1 GiB: copied in well under a second

}  // namespace echoloop
