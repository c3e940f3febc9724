// HDF5 as systems package it is not safe to call from two threads at once, whatever the files: the recorder's calls,
// and those of tests that read its file in the same process, are made under this lock. The readers of recordings
// need none: they have a process of their own, with one thread.
#pragma once

#include <mutex>

namespace echoloop {

inline std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace echoloop
