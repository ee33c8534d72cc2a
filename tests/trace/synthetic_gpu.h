/// A GPU run made by hand. All of its times and sizes are known.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// Returns the profile of `steps` equal steps of 1000 us each, at most 4. Times in a step are in
/// microseconds. All calls are made by one thread, in the stages that submit the work:
///
///   stream 7   normalize [150, 250) by a launch at 110; a graph launched at 245: sub [300, 350)
///              and div [350, 420); tail [400, 460) by a launch at 310, which overlaps div
///   stream 13  Memcpy HtoD [40, 140) of 5 MB by a call at 20; Memset [345, 355) of 1 MB at 330;
///              Memcpy DtoH [500, 700) of 10 MB at 480, which the host waits for from 510 to 710
///   stream 14  cast [200, 260) by a launch of the driver at 180, which overlaps normalize
///
/// A second thread has the name "omp worker 1".
ProfileTrace synthetic_gpu_profile(int steps);

/// Returns the finished model of 4 steps, on one GPU with 100 processors.
TraceModel synthetic_gpu_model();

}  // namespace normbench
