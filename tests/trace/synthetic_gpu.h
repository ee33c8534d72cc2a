/// A made-up profile of a GPU, with known times and sizes.
#pragma once

#include "record/profile_trace.h"
#include "trace/model.h"

namespace normbench {

/// Returns the profile of `steps` equal steps, at most 4. A step starts every 1000 us and ends
/// after 900 us. The main thread makes all calls. The list has times in us since the start of the
/// step:
///
///   stream  work                [start, end)  call                   [start, end)
///   7       normalize           [150, 250)    cudaLaunchKernel       [110, 120)
///   7       sub                 [300, 350)    cudaGraphLaunch        [245, 270)
///   7       div                 [350, 420)    the same graph launch
///   7       tail                [400, 460)    cudaLaunchKernel       [310, 320)
///   13      Memcpy HtoD, 5 MB   [40, 140)     cudaMemcpyAsync        [20, 30)
///   13      Memset, 1 MB        [345, 355)    cudaMemsetAsync        [330, 340)
///   13      Memcpy DtoH, 10 MB  [500, 700)    cudaMemcpyAsync        [480, 490)
///   13      Stream Sync         [512, 709)    cudaStreamSynchronize  [510, 710)
///   14      cast                [200, 260)    cuLaunchKernel         [180, 190)
///
/// tail overlaps div, although both are in stream 7. cast overlaps normalize. Memset overlaps sub
/// and div. Stream Sync is the record of the host's wait for stream 13.
///
/// A second thread, named "omp worker 1", has the range "gather" [730, 880) in each step.
ProfileTrace synthetic_gpu_profile(int steps);

/// Returns the finished model of 4 steps, on one GPU with 100 multiprocessors.
TraceModel synthetic_gpu_model();

}  // namespace normbench
