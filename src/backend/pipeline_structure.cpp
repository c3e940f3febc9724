// The Pipeline's part in finding structure: hands finished pictures to the StructureEngine. Processing thread, unless
// said.
#include <stdexcept>
#include <utility>

#include "backend/pipeline.h"

namespace echoloop {

// While kept frames are looked at, only they are: the mailbox holds one answer.
void Pipeline::feed_live_structure(const Image& image) {
  late_image_ = {};
  if (image.params.structure == Structure::off || looks_back_ || structure_failed_) return;
  if (!feed_structure(image, Claim::live)) late_image_ = image;
}

void Pipeline::feed_kept_structure(const Image& image) {
  if (image.params.structure == Structure::off) {
    retire_structure();
  } else {
    feed_structure(image, Claim::wanted);
  }
}

// Structure that fails leaves the stream as it is. False: this picture came too soon.
bool Pipeline::feed_structure(const Image& image, Claim claim) {
  if (options_.structure == nullptr) return true;
  try {
    if (structure_ == nullptr) {
      structure_ = std::make_unique<StructureEngine>(backend_.make_structure_device(), *options_.structure);
    }
    const bool taken = structure_->take(image, claim);
    if (const std::string why = structure_->take_fault(); !why.empty()) throw std::runtime_error(why);
    note_structure_counts();
    return taken;
  } catch (const std::exception& error) {
    structure_.reset();
    structure_failed_ = true;
    refuse("No objects: " + std::string(error.what()));
    return true;
  }
}

// Turned off: gone as soon as that waits for nothing.
void Pipeline::retire_structure() {
  if (structure_ == nullptr || structure_->busy()) return;
  note_structure_counts();
  structure_.reset();
}

// The stream's end. Who stops after so many frames finds the last one's objects, however soon it came.
void Pipeline::end_structure() {
  const Image last = std::exchange(late_image_, {});
  if (structure_ == nullptr) return;
  if (last.number != 0 && fault().empty() && !looks_back_) feed_structure(last, Claim::wanted);
  if (structure_ == nullptr) return;
  structure_->settle();
  note_structure_counts();
  if (const std::string why = structure_->take_fault(); !why.empty()) refuse("No objects: " + why);
  if (reviewer_ == nullptr) structure_.reset();
}

void Pipeline::note_structure_counts() {
  const std::scoped_lock lock(text_mutex_);
  structure_counts_ = structure_->counts();
}

StructureCounts Pipeline::structure_counts() const {
  const std::scoped_lock lock(text_mutex_);
  return structure_counts_;
}

}  // namespace echoloop
