// The system calls that the reader process may still make: reading, memory, time, talking over the socket it has. All
// others fail with EPERM: no look at a path, no new socket, no program, no process or thread, no opening for writing,
// no renaming or removing, no look into other processes, no memory that can be executed. Written with the kernel's
// headers only; x86-64 and 64-bit ARM, nothing elsewhere or where the kernel has no seccomp. Internal to src/formats.
#pragma once

namespace echoloop {

// Whether the process may lose the signal that ends it with its parent: a thread of the viewer ends earlier than the
// viewer, a process that waits for this one does not.
enum class LifeWithParent { always, until_it_streams };

bool install_reader_filter(LifeWithParent life);  // false: none here. Needs PR_SET_NO_NEW_PRIVS

}  // namespace echoloop
