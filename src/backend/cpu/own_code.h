// Compiled code of an own method on the CPU. A method is code of the user and may fail in every way: its rows run
// behind a guard, which leaves them on a processor fault, an abort or after kRowLimit. The code is not called again
// after that.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>

#include "backend/cpu/cpu_steps.h"
#include "backend/cpu/own_method_code.h"

namespace echoloop {

class OwnLibrary final : public OwnCode {
 public:
  static constexpr std::chrono::seconds kRowLimit{2};

  // Throws Error if the file is no shared object of a method.
  explicit OwnLibrary(const std::filesystem::path& shared_object);
  ~OwnLibrary() override;
  OwnLibrary(const OwnLibrary&) = delete;
  OwnLibrary& operator=(const OwnLibrary&) = delete;

  [[nodiscard]] const OwnMethodCode& described() const { return *pixels_; }

  bool run(WorkerPool& pool, const MethodSettings& settings, const DasInput& input, MethodScratch& scratch,
           Complex* pixels, float* weights) const override;
  [[nodiscard]] std::string fault() const override;

  // Makes this thread's guard, which a process forked from it then has without a lock.
  static void guard_thread();

 private:
  void set_fault(const std::string& why) const;
  // Runs a call of the method behind the guard. Returns false after a fault, of this call or a former one.
  template <class Call>
  bool returns(const Call& call) const;
  void run_kept(const OwnMethodCode& code, WorkerPool& pool, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights) const;
  void require_numbers(const MethodRow& row, int first, int end) const;

  void* library_ = nullptr;
  const OwnMethodCode* rows_ = nullptr;
  const OwnMethodCode* pixels_ = nullptr;
  mutable std::atomic<bool> faulted_{false};
  mutable std::mutex mutex_;
  mutable std::string fault_;
};

}  // namespace echoloop
