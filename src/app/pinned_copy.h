// A recording that lies in a mapped file, copied once into page-locked memory, so that a GPU's copies run at the bus's
// rate. Why a copy: drivers lock anonymous memory well, but pages of a mapped file at best slowly (and here and there
// for ever).
#pragma once

#include <memory>

#include "backend/backend.h"
#include "source/source.h"

namespace echoloop {

// `source` with its frames in page-locked memory; `source` itself when that makes no sense: it does not lend its
// frames, can be page-locked as it is, is too big (kMaxPinnedCopy), or the backend gives no page-locked memory.
std::shared_ptr<Source> with_pinned_frames(const std::shared_ptr<Source>& source, Backend& backend);

inline constexpr std::size_t kMaxPinnedCopy = std::size_t{1} << 30;  // 1 GiB: copied in well under a second

}  // namespace echoloop
