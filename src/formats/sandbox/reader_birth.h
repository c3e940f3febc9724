// The reader process as number 1 of process numbers of its own, so that it sees no other process. The process that the
// viewer has started keeps nothing, waits for it and ends as it does: to the viewer the two are one. Internal to
// src/formats.
#pragma once

namespace echoloop {

// An exit status from here on: died of the signal of that number less kDiedOf. The first process of a name space
// ignores the signals that would end any other one, so it takes those that limits send and ends by itself.
inline constexpr int kDiedOf = 128;

// After unshare(CLONE_NEWPID), in a process of one thread: returns true in the new process, and does not return in the
// old one; false when none could be started.
bool become_first_process();

// In the new process, once it is to die with the old one (PR_SET_PDEATHSIG): ends it if the old one is gone already.
void end_without_parent();

}  // namespace echoloop
