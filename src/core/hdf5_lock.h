// HDF5 as systems package it is not safe to call from two threads at once, whatever the files: every call of it, and of
// matio, is made under this lock. Any thread; never held while waiting for anything but the library.
#pragma once

#include <mutex>

namespace echoloop {

inline std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace echoloop
