// The C functions of libecholoop_native.so, which the Python package calls by ctypes: objects are handles, settings and
// facts are JSON. A function that fails returns null or a status above 0; echo_error() then has its line. Any thread; a
// Beamformer serves one caller after another.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>

#include "backend/beamformer.h"
#include "core/error.h"
#include "core/param_table.h"
#include "formats/live_description.h"
#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "version.h"

#define ECHO_NATIVE extern "C" __attribute__((visibility("default")))

namespace echoloop {
namespace {

using nlohmann::json;

// Kinds of failures, as exceptions in Python.
enum Status : int { kDone = 0, kValue = 1, kFile = 2, kMemory = 3, kDevice = 4, kFork = 5 };

thread_local std::string answer, problem;
thread_local Status status = kDone;

class DeviceLost : public Error {
 public:
  using Error::Error;
};
class AfterFork : public Error {
 public:
  using Error::Error;
};

struct Handle {
  virtual ~Handle() = default;
  pid_t process = ::getpid();
};

struct AcquisitionHandle : Handle {
  LiveDescription described;
};

struct RecordingHandle : Handle {
  Recording recording;
  std::mutex mutex;  // of the reader on demand
};

struct FrameHandle : Handle {
  std::shared_ptr<const void> owner;  // of a lent frame
  FrameMemory memory;
  std::span<const std::byte> samples;
};

struct BeamformerHandle : Handle {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Beamformer> beamformer;
  std::mutex mutex;
};

template <class T>
T& of(void* handle) {
  auto& object = *static_cast<T*>(static_cast<Handle*>(handle));
  if (object.process != ::getpid())
    throw AfterFork("object", "made before a fork", "one made in this process: threads do not survive a fork");
  return object;
}

// Runs `body`; its exceptions become a status and a line.
template <class Body>
auto guarded(const Body& body) -> decltype(body()) {
  status = kDone;
  problem.clear();
  try {
    return body();
  } catch (const std::bad_alloc&) {
    status = kMemory;
    problem = "the memory is not sufficient";
  } catch (const NoDeviceMemory& error) {
    status = kMemory;
    problem = error.what();
  } catch (const DeviceLost& error) {
    status = kDevice;
    problem = error.what();
  } catch (const AfterFork& error) {
    status = kFork;
    problem = error.what();
  } catch (const std::exception& error) {
    status = kValue;
    problem = error.what();
  }
  return {};
}

const char* said(const json& value) {
  answer = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return answer.c_str();
}

json parsed(const char* what, const char* text) {
  json value = json::parse(text, nullptr, false);
  if (!value.is_object()) throw Error(what, "no JSON of an object", "{\"KEY\": VALUE, ...}");
  return value;
}

json acquisition_json(const Acquisition& a) {
  json x = json::array(), z = json::array();
  for (const Element& element : a.probe.elements) {
    x.push_back(element.x_m);
    z.push_back(element.z_m);
  }
  json assumptions = json::array();
  for (const Assumption& each : a.assumptions) assumptions.push_back(each.text);
  return {{"n_transmits", a.n_transmits()},
          {"n_elements", a.n_elements()},
          {"n_samples", a.n_samples},
          {"dtype", a.sample_type == SampleType::int16 ? "int16" : "float32"},
          {"iq", a.signal == SignalKind::iq},
          {"frame_bytes", a.frame_bytes()},
          {"fs_hz", a.sampling_hz},
          {"fc_hz", a.center_hz},
          {"c_m_s", a.sound_speed_m_s},
          {"frame_rate_hz", a.frame_rate_hz},
          {"element_x_m", x},
          {"element_z_m", z},
          {"assumptions", assumptions},
          {"description", json::parse(live_description_json(a, a.probe.name))}};
}

json grid_json(const Grid& grid) {
  if (grid.kind == GridKind::polar) {
    const Sector& s = grid.sector;
    return {{"kind", "polar"},
            {"sector_rad", {s.angle0_rad, s.angle1_rad, grid.nx}},
            {"radius_m", {s.r0_m, s.r1_m, grid.nz}},
            {"apex_z_m", s.apex_z_m}};
  }
  return {{"kind", "cartesian"}, {"x_m", {grid.x0_m, grid.x1_m, grid.nx}}, {"z_m", {grid.z0_m, grid.z1_m, grid.nz}}};
}

json value_of(const ImagingParams& params, const ParamSpec& spec) {
  if (spec.member.kind == ParamKind::choice) return get_text(params, spec);
  if (spec.member.kind == ParamKind::whole_number) return static_cast<std::int64_t>(get_number(params, spec));
  return get_number(params, spec);
}

// Returns the parameters with these values: numbers, or names of choices. Throws Error and changes nothing.
ImagingParams with_values(ImagingParams params, const json& values) {
  for (const auto& [key, value] : values.items()) {
    if (!value.is_number() && !value.is_string()) throw invalid_value(key, value.dump(), "a number or a choice's name");
    set_from_text(params, key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return params;
}

std::unique_ptr<Backend> backend_of(const std::string& device, int threads) {
  if (threads < 0) throw out_of_range("threads", std::to_string(threads), "0, all cores, or more");
  std::string why_not;
  if (device == "cpu") return make_cpu_backend(threads);
  if (device == "auto") {
    if (auto cuda = make_cuda_backend(why_not)) return cuda;
    return make_cpu_backend(threads);
  }
  int gpu = kAnyGpu;
  const std::string number = device.substr(0, 5) == "cuda:" ? device.substr(5) : "";
  const bool numbered =
      !number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == std::string::npos;
  if (numbered) gpu = std::stoi(number);
  if (device != "cuda" && !numbered) throw invalid_value("device", device, "auto, cpu, cuda, cuda:0, cuda:1 ...");
  if (auto cuda = make_cuda_backend(why_not, gpu)) return cuda;
  throw Error("device = '" + device + "'", why_not, "a GPU that can be used, or device=\"cpu\"");
}

template <class Work>
auto on_device(const BeamformerHandle& of, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    if (of.backend->usable()) throw;
    throw DeviceLost("device", error.what(), "a new process");
  }
}

}  // namespace

// Line of the last failure in this thread; its kind in `kind`.
ECHO_NATIVE const char* echo_error(int* kind) {
  *kind = status;
  return problem.c_str();
}

ECHO_NATIVE const char* echo_version() { return kVersion; }

// Program of the process that parses files.
ECHO_NATIVE void echo_use_reader(const char* program) { reader_settings().program = program; }

ECHO_NATIVE void echo_free(void* handle) {
  auto* object = static_cast<Handle*>(handle);
  if (object != nullptr && object->process == ::getpid()) delete object;  // after a fork its threads do not exist
}

// [{key, label, unit, min, max, default_from_acquisition, choices, help}], SI units.
ECHO_NATIVE const char* echo_parameters() {
  return guarded([] {
    json rows = json::array();
    for (const ParamSpec& spec : param_table()) {
      json choices = json::array();
      for (const ParamChoice& choice : spec.choices) choices.push_back(std::string(choice.name));
      rows.push_back({{"key", std::string(spec.key)},
                      {"label", std::string(spec.label)},
                      {"min", spec.min},
                      {"max", spec.max},
                      {"whole_number", spec.member.kind == ParamKind::whole_number},
                      {"from_acquisition", spec.from_acquisition},
                      {"choices", choices},
                      {"help", std::string(spec.help)}});
    }
    return said(rows);
  });
}

// [{device, name, memory, free}], bytes; the CPU last, with 0.
ECHO_NATIVE const char* echo_devices() {
  return guarded([] {
    json rows = json::array();
    for (const Gpu& gpu : list_gpus())
      rows.push_back({{"device", "cuda:" + std::to_string(rows.size())},
                      {"name", gpu.name},
                      {"memory", gpu.memory},
                      {"free", gpu.free}});
    rows.push_back({{"device", "cpu"}, {"name", make_cpu_backend()->device()}, {"memory", 0}, {"free", 0}});
    return said(rows);
  });
}

// Acquisition of a description (keys of the senders' page).
ECHO_NATIVE void* echo_acquisition(const char* description) {
  return guarded([&]() -> Handle* {
    auto made = std::make_unique<AcquisitionHandle>();
    made->described = describe_live("description", std::as_bytes(std::span(description, std::strlen(description))),
                                    LikeFiles::allowed);
    return made.release();
  });
}

ECHO_NATIVE const char* echo_acquisition_facts(void* handle) {
  return guarded([&] {
    const LiveDescription& described = of<AcquisitionHandle>(handle).described;
    json facts = acquisition_json(*described.acquisition);
    facts["given_bytes"] = described.layout->frame_bytes();
    facts["in_place"] = described.layout->in_place();
    facts["unused"] = described.unused;
    return said(facts);
  });
}

// A frame of the description's own order and type in that of the acquisition.
ECHO_NATIVE int echo_convert(void* handle, const void* given, std::uint64_t given_bytes, void* out,
                             std::uint64_t out_bytes) {
  guarded([&] {
    LiveDescription& described = of<AcquisitionHandle>(handle).described;
    if (given_bytes != described.layout->frame_bytes() || out_bytes != described.acquisition->frame_bytes())
      throw Error("frame", std::to_string(given_bytes) + " bytes", std::to_string(described.layout->frame_bytes()));
    described.layout->convert({static_cast<const std::byte*>(given), given_bytes},
                              {static_cast<std::byte*>(out), out_bytes});
    return 0;
  });
  return status;
}

// description: null, or JSON used in place of any beside the file.
ECHO_NATIVE void* echo_open(const char* path, const char* description) {
  return guarded([&]() -> Handle* {
    std::error_code error;
    const bool there = std::filesystem::exists(path, error);
    auto made = std::make_unique<RecordingHandle>();
    try {
      made->recording = description == nullptr ? open_recording(path) : open_recording_as(path, description);
    } catch (const Error& refused) {
      if (there) throw;
      status = kFile;
      problem = refused.what();
      return nullptr;
    }
    return made.release();
  });
}

ECHO_NATIVE const char* echo_recording_facts(void* handle) {
  return guarded([&] {
    const Recording& recording = of<RecordingHandle>(handle).recording;
    json facts = acquisition_json(*recording.acquisition);
    facts["frames"] = recording.frame_count;
    facts["format"] = recording.format;
    return said(facts);
  });
}

// Frame `index` as a handle; its samples are valid until echo_free() of it and of the recording.
ECHO_NATIVE void* echo_frame(void* handle, std::uint64_t index, const void** samples) {
  return guarded([&]() -> Handle* {
    auto& opened = of<RecordingHandle>(handle);
    auto made = std::make_unique<FrameHandle>();
    if (opened.recording.reader != nullptr) {
      const std::scoped_lock lock(opened.mutex);
      made->memory = opened.recording.reader->allocate(opened.recording.acquisition->frame_bytes());
      auto own = std::make_shared<std::vector<std::byte>>();
      if (made->memory.bytes.empty()) {
        own->resize(opened.recording.acquisition->frame_bytes());
        made->memory = {.bytes = *own, .owner = own};
      }
      made->samples = opened.recording.reader->read(index, made->memory);
    } else {
      made->samples = opened.recording.frame(index);
      made->owner = opened.recording.owner;
    }
    *samples = made->samples.data();
    return made.release();
  });
}

// parameters: JSON of changes of the acquisition's default parameters.
ECHO_NATIVE void* echo_beamformer(void* acquisition, const char* parameters, const char* device, int threads) {
  return guarded([&]() -> Handle* {
    const AcquisitionPtr facts = of<AcquisitionHandle>(acquisition).described.acquisition;
    auto made = std::make_unique<BeamformerHandle>();
    const ImagingParams params = with_values(default_params(*facts), parsed("parameters", parameters));
    made->backend = backend_of(device, threads);
    made->beamformer = std::make_unique<Beamformer>(facts, params, *made->backend);
    return made.release();
  });
}

ECHO_NATIVE int echo_set(void* handle, const char* parameters) {
  guarded([&] {
    auto& made = of<BeamformerHandle>(handle);
    const std::scoped_lock lock(made.mutex);
    made.beamformer->set_params(with_values(made.beamformer->params(), parsed("parameters", parameters)));
    return 0;
  });
  return status;
}

// {parameters, grids by output, backend, device, why_fp32, reference_db: null before the first frame}
ECHO_NATIVE const char* echo_state(void* handle) {
  return guarded([&] {
    auto& made = of<BeamformerHandle>(handle);
    const std::scoped_lock lock(made.mutex);
    const Beamformer& beamformer = *made.beamformer;
    json parameters = json::object();
    for (const ParamSpec& spec : param_table()) parameters[std::string(spec.key)] = value_of(beamformer.params(), spec);
    json state = {{"parameters", parameters},
                  {"grid", grid_json(beamformer.grid(Beamformer::Output::db))},
                  {"beam_grid", grid_json(beamformer.grid(Beamformer::Output::iq))},
                  {"backend", made.backend->name()},
                  {"device", made.backend->device()},
                  {"precision", beamformer.in_half_precision() ? "fp16" : "fp32"},
                  {"why_fp32", beamformer.why_single_precision()},
                  {"reference_db", nullptr}};
    if (beamformer.reference_db() > kAutoReference) state["reference_db"] = beamformer.reference_db();
    return said(state);
  });
}

// samples: whole frames, in memory of the host (stream kOfHost), or of a device: once the work on that CUDA stream is
// done. out: as many results, of host or device; output: Beamformer::Output. Returns how often each result was copied;
// below 0: failed. With samples and results on the device it returns when the work is queued, in the order of the
// stream.
ECHO_NATIVE int echo_run(void* handle, const void* samples, std::uint64_t bytes, std::int64_t stream, int output,
                         void* out, std::uint64_t out_bytes, int out_on_device) {
  constexpr std::int64_t kOfHost = -1;
  const int copies = guarded([&] {
    auto& made = of<BeamformerHandle>(handle);
    const std::scoped_lock lock(made.mutex);
    return on_device(made, [&] {
      const std::span<const std::byte> frames{static_cast<const std::byte*>(samples), bytes};
      std::unique_ptr<LentMemory> lent;
      if (stream != kOfHost) {
        lent = made.backend->lend(frames);
        if (lent == nullptr) throw Error("frames", "memory of a CUDA device", "host memory, as the device is the CPU");
      }
      const std::span<std::byte> results{static_cast<std::byte*>(out), out_bytes};
      const auto kind = static_cast<Beamformer::Output>(output);
      if (stream != kOfHost && out_on_device != 0)
        return made.beamformer->queue(frames, kind, results, static_cast<std::uintptr_t>(stream));
      if (stream != kOfHost) made.backend->follow(static_cast<std::uintptr_t>(stream));
      return made.beamformer->run(frames, kind, results);
    });
  });
  return status == kDone ? copies : -status;
}

}  // namespace echoloop
