#include "backend/cuda/runtime/cuda_own_kernels.h"

#include <dlfcn.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/toolkit_library.h"
#include "core/error.h"

namespace echoloop::cuda {
namespace {

constexpr const char* kNeededFor = "own methods on the GPU";
constexpr const char* kRemedy = "own methods also run with --backend cpu";

// The run-time compiler. Its functions return 0 on success.
struct RuntimeCompiler {
  using Program = void*;
  int (*create)(Program*, const char* unit, const char* name, int n_headers, const char* const* headers,
                const char* const* names) = nullptr;
  int (*compile)(Program, int n_options, const char* const* options) = nullptr;
  int (*code_size)(Program, std::size_t*) = nullptr;
  int (*code)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
};

const RuntimeCompiler& runtime_compiler() {
  static const RuntimeCompiler compiler = [] {
    const ToolkitLibrary library(kNeededFor, "nvrtc", CUDART_VERSION / 1000, kRemedy);
    RuntimeCompiler c;
    library.find("nvrtcCreateProgram", c.create);
    library.find("nvrtcCompileProgram", c.compile);
    library.find("nvrtcGetCUBINSize", c.code_size);
    library.find("nvrtcGetCUBIN", c.code);
    library.find("nvrtcGetProgramLogSize", c.log_size);
    library.find("nvrtcGetProgramLog", c.log);
    library.find("nvrtcDestroyProgram", c.destroy);
    return c;
  }();
  return compiler;
}

// The driver's functions that the runtime does not have.
struct Driver {
  decltype(&cuModuleLoadData) load = nullptr;
  decltype(&cuModuleUnload) unload = nullptr;
  decltype(&cuModuleGetFunction) function = nullptr;
  decltype(&cuFuncGetAttribute) attribute = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
};

const Driver& driver() {
  static const Driver found = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [library](const char* name, auto& function) {
      function =
          reinterpret_cast<std::decay_t<decltype(function)>>(library == nullptr ? nullptr : dlsym(library, name));
      if (function == nullptr)
        throw Error(kNeededFor, std::string(name) + " was not found", "an NVIDIA driver", kRemedy);
    };
    Driver d;
    find("cuModuleLoadData", d.load);
    find("cuModuleUnload", d.unload);
    find("cuModuleGetFunction", d.function);
    find("cuFuncGetAttribute", d.attribute);
    find("cuLaunchKernel", d.launch);
    return d;
  }();
  return found;
}

void check_driver(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  static_cast<void>(succeeded_quietly(cudaStreamQuery(cudaStreamLegacy)));  // notes a lost device
  throw CudaError(std::string(call) + ": status " + std::to_string(static_cast<int>(status)) +
                  (device_lost() ? "; " + loss_text() : std::string()));
}

std::size_t index_of(AdaptiveAxis axis, AdaptiveOrder order) {
  return 2 * static_cast<std::size_t>(axis) + static_cast<std::size_t>(order);
}

const char* word(AdaptiveAxis axis) {
  return axis == AdaptiveAxis::elements ? "elements" : axis == AdaptiveAxis::transmits ? "transmits" : "both";
}

// Options that number the parameters of the file, which the compiler cannot count.
std::vector<std::string> parameter_numbers(const std::string& text) {
  static const std::regex kDeclared(R"(ECHO_PARAMETER\s*\(\s*(\w+))");
  std::vector<std::string> options;
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), kDeclared), none; found != none; ++found) {
    const std::string name = (*found)[1];
    if (std::ranges::find(names, name) != names.end()) continue;
    options.push_back("-DECHO_INDEX_OF_" + name + "=" + std::to_string(names.size()));
    names.push_back(name);
  }
  return options;
}

std::string architecture(int gpu) {
  if (gpu < 0) return "-arch=sm_75";
  int major = 0, minor = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
  CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu));
  return "-arch=sm_" + std::to_string(10 * major + minor);
}

OwnKernelCode compile(const OwnKernelSource& source, AdaptiveAxis axis, AdaptiveOrder order) {
  const RuntimeCompiler& c = runtime_compiler();
  const std::string text = "#line 1 \"" + source.file.string() + "\"\n" + source.text;
  const char* const names[] = {"echoloop_own_source"};
  const char* const texts[] = {text.c_str()};
  RuntimeCompiler::Program program = nullptr;
  if (c.create(&program, "#include \"backend/cuda/kernels/own_method.cuh\"\n", "own_method", 1, texts, names) != 0)
    throw Error(kNeededFor, "the compiler does not start", "free memory", kRemedy);
  std::vector<std::string> options = {
      "-std=c++20",
      "-default-device",
      architecture(source.gpu),
      "-I" + source.headers.string(),
      "-I" + source.file.parent_path().string(),
      "-DNDEBUG",
      "-DECHO_OWN_SOURCE=\"echoloop_own_source\"",
      std::string("-DECHO_OWN_AXIS=") + word(axis),
      std::string("-DECHO_OWN_ORDER=") + (order == AdaptiveOrder::compounded ? "compounded" : "each_transmit"),
      "-DECHO_OWN_FORM=general",
      "-DECHO_OWN_ROWS=" + std::to_string(CudaOwnKernels::kRows),
      "-DECHO_OWN_BLOCKS=" + std::to_string(CudaOwnKernels::kBlocksPerSm)};
  for (std::string& option : parameter_numbers(source.text)) options.push_back(std::move(option));
  std::vector<const char*> words;
  words.reserve(options.size());
  for (const std::string& option : options) words.push_back(option.c_str());
  const int status = c.compile(program, static_cast<int>(words.size()), words.data());
  OwnKernelCode made;
  std::size_t size = 0;
  if (c.log_size(program, &size) == 0 && size > 1) {
    made.log.resize(size);
    c.log(program, made.log.data());
    made.log.resize(size - 1);  // without its 0
  }
  if (status == 0 && c.code_size(program, &size) == 0) {
    made.machine_code.resize(size);
    c.code(program, made.machine_code.data());
  }
  c.destroy(&program);
  return made;
}

}  // namespace

CudaOwnKernels::CudaOwnKernels(OwnKernelSource source, const std::string& machine_code) : source_(std::move(source)) {
  kernels_[0] = load(machine_code);
  CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void**>(&invalid_), sizeof *invalid_, cudaHostAllocMapped));
  *invalid_ = 0;
  const auto declared = ask<OwnDeclared>("own_describe", {});
  replaces_ = declared.replaces != 0;
  rows_ = declared.rows;
  for (int i = 0; i < declared.parameters; ++i) {
    const OwnDeclared::Parameter& p = declared.parameter[i];
    parameters_.push_back({p.name, p.unit, p.help, p.min, p.max, p.value});
  }
  if (rows_ != OwnRows::none) describe(kernels_[0], OwnKernel::rows);
}

CudaOwnKernels::~CudaOwnKernels() {
  if (device_lost()) return;
  CUDA_QUIET(cudaSetDevice(source_.gpu));
  CUDA_QUIET(cudaDeviceSynchronize());  // frames that use them
  for (const Kernel& k : kernels_)
    if (k.module != nullptr) driver().unload(k.module);
  CUDA_QUIET(cudaFreeHost(invalid_));
}

std::string CudaOwnKernels::fault() const {
  return *static_cast<const volatile int*>(invalid_) == 0 ? "" : "a pixel is no number (NaN or infinite)";
}

int CudaOwnKernels::registers() const {
  const std::scoped_lock lock(mutex_);
  return kernels_[static_cast<std::size_t>(in_use_)].registers;
}

int CudaOwnKernels::spilled_bytes() const {
  const std::scoped_lock lock(mutex_);
  return kernels_[static_cast<std::size_t>(in_use_)].spilled_bytes;
}

void CudaOwnKernels::prepare(AdaptiveAxis axis, AdaptiveOrder order) const {
  const std::scoped_lock lock(mutex_);
  kernel(axis, order);
}

void CudaOwnKernels::launch(const OwnLaunch& what, std::initializer_list<void*> arguments, StreamView stream) const {
  constexpr int kTileX = 32;
  const std::scoped_lock lock(mutex_);
  const Kernel& k = kernel(what.axis, what.order);
  in_use_ = static_cast<int>(&k - kernels_.data());
  std::vector<void*> all(arguments);
  all.push_back(const_cast<int**>(&invalid_));
  check_driver(driver().launch(k.entries[static_cast<std::size_t>(what.kernel)],
                               static_cast<unsigned>((what.nx + kTileX - 1) / kTileX),
                               static_cast<unsigned>((what.nz + kRows - 1) / kRows), 1, kTileX, kRows, 1, 0,
                               stream.get(), all.data(), nullptr),
               "launch of an own method");
}

RowSizes CudaOwnKernels::row_sizes(const MethodSettings& settings, int n_el) const {
  const auto sizes = ask<RowSizes>("own_sizes", {const_cast<MethodSettings*>(&settings), &n_el});
  if (std::min(sizes.terms, sizes.scratch) < 0)
    throw Error(source_.file.string(), "n_terms() or n_scratch() is negative", "a number of values");
  return sizes;
}

CudaOwnKernels::Kernel CudaOwnKernels::load(const std::string& code) const {
  CUDA_CHECK(cudaSetDevice(source_.gpu));
  Kernel k;
  check_driver(driver().load(&k.module, code.data()), "cuModuleLoadData");
  constexpr std::array kNames = {"own_pixels", "own_store", "own_rows"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    check_driver(driver().function(&k.entries[i], k.module, kNames[i]), "cuModuleGetFunction");
  describe(k, OwnKernel::pixels);
  return k;
}

void CudaOwnKernels::describe(Kernel& k, OwnKernel which) {
  CUfunction const entry = k.entries[static_cast<std::size_t>(which)];
  check_driver(driver().attribute(&k.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, entry), "cuFuncGetAttribute");
  check_driver(driver().attribute(&k.spilled_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, entry), "cuFuncGetAttribute");
}

const CudaOwnKernels::Kernel& CudaOwnKernels::kernel(AdaptiveAxis axis, AdaptiveOrder order) const {
  Kernel& k = kernels_[rows_ == OwnRows::none ? index_of(axis, order) : 0];
  if (k.module != nullptr) return k;
  const OwnKernelCode made = compile(source_, axis, order);
  if (made.machine_code.empty())
    throw Error::from_line(source_.file.string() + ": " + made.log.substr(0, made.log.find('\n')));
  k = load(made.machine_code);
  return k;
}

template <class Value>
Value CudaOwnKernels::ask(const char* name, std::initializer_list<void*> arguments) const {
  CUfunction entry = nullptr;
  check_driver(driver().function(&entry, kernels_[0].module, name), "cuModuleGetFunction");
  Value* on_device = nullptr;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&on_device), sizeof(Value)));
  Value answer{};
  try {
    std::vector<void*> all(arguments);
    all.push_back(&on_device);
    check_driver(driver().launch(entry, 1, 1, 1, 1, 1, 1, 0, nullptr, all.data(), nullptr), name);
    CUDA_CHECK(cudaMemcpy(&answer, on_device, sizeof answer, cudaMemcpyDeviceToHost));
  } catch (...) {
    CUDA_QUIET(cudaFree(on_device));
    throw;
  }
  CUDA_CHECK(cudaFree(on_device));
  return answer;
}

}  // namespace echoloop::cuda

namespace echoloop {

std::string why_no_own_kernels() {
  try {
    static_cast<void>(cuda::runtime_compiler());
    static_cast<void>(cuda::driver());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

OwnKernelCode compile_own_kernels(const OwnKernelSource& source) {
  return cuda::compile(source, AdaptiveAxis::elements, AdaptiveOrder::each_transmit);
}

std::shared_ptr<const OwnKernels> load_own_kernels(const OwnKernelSource& source, const std::string& machine_code) {
  return std::make_shared<const cuda::CudaOwnKernels>(source, machine_code);
}

}  // namespace echoloop
