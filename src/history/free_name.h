// Names for recordings that no other file has. Any thread.
#pragma once

#include <filesystem>

namespace echoloop {

// Gives the file the name `to`, or the next free one like it (F_2.uff, F_3.uff ... beside F.uff), and returns that: no
// file is ever replaced, also not one that another program makes meanwhile. Throws std::exception.
std::filesystem::path rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

// The name of a recording while it grows: F.uff.partial, F.uff.partial2 ...; the first is n = 1.
std::filesystem::path partial_name(const std::filesystem::path& file, int n);
// F.uff of such a name; the name itself when it is none.
std::filesystem::path name_of_partial(const std::filesystem::path& partial);
[[nodiscard]] bool is_partial_name(const std::filesystem::path& file);

}  // namespace echoloop
