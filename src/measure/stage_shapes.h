/// The shapes of stages' inputs as profilers show them.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "plan/plan.h"

namespace normbench {

/// By the label of each stage, and of each run of stages that is launched as one: the shapes of
/// its inputs as torch prints them, in the order of memory, "[[10, 3, 720, 1280]]". Of stages with
/// one label that of the first.
std::map<std::string, std::string, std::less<>> input_shapes(const Case& work);

}  // namespace normbench
