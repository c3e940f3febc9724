// fstat() of an open file without the system call that could ask about any path as well: glibc 2.33 to 2.38 make
// newfstatat() of it, whose path a filter cannot look at. Linked into the reader process only, in place of the
// library's.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)  // where struct stat is the kernel's own
extern "C" {

int fstat(int fd, struct stat* info) noexcept { return static_cast<int>(::syscall(SYS_fstat, fd, info)); }

int fstat64(int fd, struct stat64* info) noexcept { return static_cast<int>(::syscall(SYS_fstat, fd, info)); }
}
#endif
