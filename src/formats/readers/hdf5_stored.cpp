#include "formats/readers/hdf5_stored.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "formats/containers/array_view.h"

namespace echoloop::hdf5 {
namespace {

Id native_half() {
  Id half(H5Tcopy(H5T_NATIVE_FLOAT));
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  return half;
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U, rest = (half & 0x7fffU) << 13U;
  const float value = std::bit_cast<float>(rest) * 0x1p112f;  // the exponents' biases differ by 112
  const std::uint32_t bits = rest < (0x7c00U << 13U) ? std::bit_cast<std::uint32_t>(value) : rest | 0x7f800000U;
  return std::bit_cast<float>(bits | sign);
}

}  // namespace

Stored describe(const Node& dataset, const std::vector<Axis>& axes) {
  Stored found{.shape = dataset.extents(), .real = {}, .imaginary = {}, .number = {}};
  if (found.shape.size() != axes.size()) {
    throw Error(dataset.where(), "samples of shape " + shape_text(found.shape), "axes (" + axes_text(axes) + ")");
  }
  const Id type(H5Dget_type(dataset.id()));
  bool plain = is_plain_number(type) && H5Tget_class(type) != H5T_ENUM;
  found.half = is_half(type);
  if (H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2) {
    for (const auto& [real, imaginary] : {std::pair{"real", "imag"}, std::pair{"r", "i"}}) {
      const int re = H5Tget_member_index(type, real), im = H5Tget_member_index(type, imaginary);
      if (re < 0 || im < 0) continue;
      const Id first(H5Tget_member_type(type, static_cast<unsigned>(re)));
      const Id second(H5Tget_member_type(type, static_cast<unsigned>(im)));
      plain = is_plain_number(first) && H5Tequal(first, second) > 0;
      found.half = is_half(first);
      found.real = real, found.imaginary = imaginary;
    }
  }
  if (!plain) throw Error(dataset.where(), type_text(type) + " as samples", "real or complex numbers");
  found.number = type_text(type);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_INTEGER && (size == 1 || (size == 2 && H5Tget_sign(type) == H5T_SGN_2)))
    found.type = SampleType::int16;
  found.bytes = checked_bytes(found.shape, size).value_or(0);
  if (found.bytes == 0) {
    throw Error(dataset.where(), "samples of shape " + shape_text(found.shape),
                "no axis of length 0, and numbers that a machine can hold");
  }
  return found;
}

void limit_frames(Stored& stored, const std::vector<Axis>& axes, std::size_t n_frames) {
  const auto frame = std::find(axes.begin(), axes.end(), Axis::frame);
  if (frame == axes.end()) return;
  std::size_t& extent = stored.shape[static_cast<std::size_t>(frame - axes.begin())];
  if (extent <= n_frames) return;
  stored.bytes = stored.bytes / extent * n_frames;
  extent = n_frames;
}

Id memory_type(const Stored& stored, SampleType type) {
  const Id half = native_half();
  const hid_t number = stored.half ? hid_t{half} : type == SampleType::int16 ? H5T_NATIVE_INT16 : H5T_NATIVE_FLOAT;
  if (stored.real.empty()) return Id(H5Tcopy(number));
  const hid_t real = stored.half ? number : H5T_NATIVE_FLOAT;
  const std::size_t size = H5Tget_size(real);
  Id pair(H5Tcreate(H5T_COMPOUND, 2 * size));
  H5Tinsert(pair, stored.real.c_str(), 0, real);
  H5Tinsert(pair, stored.imaginary.c_str(), size, real);
  return pair;
}

void widen_halves(std::span<std::byte> memory) {
  const std::size_t n = memory.size() / sizeof(float);
  for (std::size_t k = 0; k < n; ++k) {  // the float's end never passes the next half's beginning
    std::uint16_t half = 0;
    std::memcpy(&half, memory.data() + n * sizeof(half) + k * sizeof(half), sizeof(half));
    const float value = from_half(half);
    std::memcpy(memory.data() + k * sizeof(value), &value, sizeof(value));
  }
}

}  // namespace echoloop::hdf5
