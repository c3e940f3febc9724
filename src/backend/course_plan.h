// The course recipe's part of a plan. Processing thread, or the thread that checks parameters.
#pragma once

#include <memory>

#include "backend/plan.h"

namespace echoloop {

// Throws Error for what the course's formula cannot describe.
void require_course(const Acquisition& acquisition);

std::shared_ptr<const CoursePlan> make_course(const Acquisition& acquisition, const ImagingParams& params,
                                              const Grid& grid);

}  // namespace echoloop
