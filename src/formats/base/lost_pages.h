// What happens when a page of a mapped file cannot be read: an empty page takes its place and core/mapped_files.h has a
// note of it. Faults elsewhere end the program as before. Internal to src/formats.
#pragma once

namespace echoloop {

// From now on; further calls change nothing. [any thread]
void survive_lost_pages();

}  // namespace echoloop
