// numpy's .npz: a zip archive of .npy members. Internal to src/formats.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "formats/containers/npy.h"

namespace echoloop {

struct NpzMember {
  NpyFile npy;
  std::shared_ptr<const void> owner;  // of an inflated member; empty: the bytes lie in the file
};

// Every .npy member by its name without the ending; other members, and those of Python objects, are skipped. Throws
// Error naming `what`. `check_stop` as of zip_extract().
std::map<std::string, NpzMember> read_npz_members(const std::string& what, std::span<const std::byte> bytes,
                                                  const std::function<void()>& check_stop = {});

}  // namespace echoloop
