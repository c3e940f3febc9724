#include "formats/import/array_tree.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "formats/base/mapping.h"
#include "formats/readers/description.h"

namespace echoloop {

TreeEntry text_entry(std::string path, std::vector<std::size_t> shape, std::string_view text) {
  const bool object = text.starts_with('{') && text.size() <= kMostJson;
  return {.path = std::move(path),
          .type = "text",
          .shape = std::move(shape),
          .text = printable(text, 200),
          .json = object ? std::string(text) : ""};
}

void ArrayTree::add(TreeEntry entry) {
  if (entries_.size() >= kMaxTreeEntries)
    throw Error(container_, "more than " + std::to_string(kMaxTreeEntries) + " arrays", "a recording");
  entries_.push_back(std::move(entry));
}

std::vector<double> row_major_numbers(const ArrayView& view) {
  const std::size_t n_axes = view.shape.size();
  std::array<std::size_t, 32> strides{}, index{};
  if (n_axes > strides.size()) return {};
  for (std::size_t a = 0; a < n_axes; ++a) strides[a] = view.stride_bytes(a);
  std::vector<double> values(view.count());
  with_real_type(view.type, [&]<class T, bool kSwap>() {
    std::size_t at = 0;
    for (double& value : values) {
      value = static_cast<double>(load_number<T, kSwap>(view.bytes.data() + at));
      for (std::size_t a = n_axes; a-- > 0;) {
        at += strides[a];
        if (++index[a] < view.shape[a]) break;
        at -= strides[a] * view.shape[a];
        index[a] = 0;
      }
    }
  });
  return values;
}

std::vector<double> MemoryTree::numbers(std::size_t entry, std::size_t most) const {
  const TreeEntry& e = entries_.at(entry);
  if (!e.numeric || e.count() == 0 || e.count() > most) {
    throw Error(e.path, e.type + " of shape " + shape_text(e.shape), "1 to " + std::to_string(most) + " numbers");
  }
  return row_major_numbers(array(entry).real);
}

ArrayView ArrayTree::planned_view(const std::string& what, const ArrayView& samples, const RecordingPlan& plan) const {
  return plan.shape.empty() ? samples : split_view(what, samples, plan.shape, axis_order());
}

LibraryRecording ArrayTree::recording_of(const OpenRequest& request, RecordingPlan plan, OwnedArray samples) const {
  plan.entry = 0;
  return view_tree(container_, std::move(samples))->recording(request, std::move(plan));
}

void MemoryTree::put(TreeEntry entry, OwnedArray array) {
  add(std::move(entry));
  arrays_.push_back(std::move(array));
}

void MemoryTree::put_numbers(std::string path, OwnedArray array) {
  const bool two_parts = !array.imaginary.bytes.empty();
  put({.path = std::move(path),
       .type = (two_parts ? "complex " : "") + to_string(array.real.type),
       .shape = array.real.shape,
       .numeric = array.real.count() > 0,
       .complex = two_parts || array.real.type.kind == NumberKind::complex,
       .text = {}},
      array);
}

LibraryRecording MemoryTree::recording(const OpenRequest& request, RecordingPlan plan) const {
  OwnedArray data = array(plan.entry);
  data.real = planned_view(request.what(), data.real, plan);
  if (!data.imaginary.bytes.empty()) data.imaginary = planned_view(request.what(), data.imaginary, plan);
  RecordingParts parts{.acquisition = std::move(plan.acquisition),
                       .samples = sample_source(request.what(), data.real, plan.axes),
                       .owner = nullptr,
                       .format = std::move(plan.format)};
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const void> real, imaginary;
  };
  Owner owner{request.file, data.owner, nullptr};
  ArrayView imaginary = data.imaginary;
  if (!plan.imaginary.empty()) {
    const auto other = find(plan.imaginary);
    if (!other) throw Error(request.what(), "no " + printable(plan.imaginary), "the name of the imaginary part");
    OwnedArray quadrature = array(*other);
    imaginary = planned_view(request.what(), quadrature.real, plan);
    owner.imaginary = quadrature.owner;
  }
  if (!imaginary.bytes.empty()) {
    if (imaginary.shape != data.real.shape || !(imaginary.type == data.real.type) || parts.samples.n_values != 1) {
      throw Error(request.what(),
                  "a real part of shape " + shape_text(data.real.shape) + " and an imaginary part of shape " +
                      shape_text(imaginary.shape),
                  "two arrays of the same shape and type");
    }
    const SampleSource second = sample_source(request.what(), imaginary, plan.axes);
    if (second.sample_stride != parts.samples.sample_stride || second.element_stride != parts.samples.element_stride ||
        second.transmit_stride != parts.samples.transmit_stride)
      throw Error(request.what(), "real and imaginary parts in different memory orders", "the same order for both");
    parts.samples.n_values = 2;
    for (std::size_t f = 0; f < second.frames.size(); ++f) parts.samples.frames[f][1] = second.frames[f][0];
  }
  parts.samples.offset = plan.offset;
  parts.samples.rotation_rad = std::move(plan.rotation_rad);
  parts.owner = std::make_shared<const Owner>(std::move(owner));
  return make_library_recording(request, std::move(parts));
}

std::vector<Axis> fit_axes(const std::string& what, const std::vector<Axis>& axes,
                           const std::vector<std::size_t>& shape) {
  std::vector<Axis> fitted = axes;
  while (fitted.size() > shape.size() && fitted.back() != Axis::element && fitted.back() != Axis::time)
    fitted.pop_back();
  if (fitted.size() == shape.size()) return fitted;
  fitted.clear();
  std::size_t next = 0;
  std::vector<Axis> spare;
  for (const Axis axis : {Axis::frame, Axis::transmit, Axis::iq}) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) spare.push_back(axis);
  }
  std::size_t too_many = shape.size() > axes.size() ? shape.size() - axes.size() : 0;
  for (const std::size_t extent : shape) {
    if (too_many > 0 && extent == 1) {
      fitted.push_back(spare.empty() ? Axis::one : spare.back());
      if (!spare.empty()) spare.pop_back();
      --too_many;
    } else if (next < axes.size()) {
      fitted.push_back(axes[next++]);
    }
  }
  if (fitted.size() == shape.size() && next == axes.size()) return fitted;
  throw Error(what, "array of shape " + shape_text(shape) + " with axes [" + axes_text(axes) + "]",
              "one axis name for each axis of the array");
}

}  // namespace echoloop
