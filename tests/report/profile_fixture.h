/// The profile of ten steps. Each step copies a batch to a GPU and normalises it there.
#pragma once

#include "document/results.h"

namespace normbench {

inline CaseProfile gpu_profile() {
  CaseProfile profile{
      .variant = "send u8", .steps = 10, .discarded = 2, .overhead = 1.03, .rows = {}};
  profile.clock_error_ns = 400;
  profile.device_times = DeviceTimes::Cupti;
  profile.times = {.wall_ns = 5'610'000,
                   .busy_ns = 5'464'000,
                   .copy_ns = 5'012'000,
                   .exposed_copy_ns = 4'912'000,
                   .overlap_ns = 100'000,
                   .gaps = 10,
                   .gap_ns = 46'000};
  profile.rows = {{.name = "ProfilerStep*",
                   .place = Place::Cpu,
                   .shapes = "",
                   .annotation = true,
                   .calls = 10,
                   .self_cpu_ns = 190'000,
                   .cpu_ns = 5'610'000,
                   .device_ns = 5'564'000,
                   .min_ns = 540'000,
                   .p50_ns = 560'000,
                   .p95_ns = 590'000,
                   .max_ns = 600'000},
                  {.name = "h2d",
                   .place = Place::Cpu,
                   .shapes = "",
                   .calls = 10,
                   .self_cpu_ns = 5'420'000,
                   .cpu_ns = 5'420'000,
                   .self_device_ns = 5'012'000,
                   .device_ns = 5'012'000,
                   .min_ns = 500'000,
                   .p50_ns = 540'000,
                   .p95_ns = 550'000,
                   .max_ns = 560'000,
                   .bytes = 276'480'000,
                   .faults = 1'234},
                  {.name = "Memcpy HtoD (Pinned -> Device)",
                   .place = Place::Cuda,
                   .shapes = "",
                   .calls = 10,
                   .self_device_ns = 5'012'000,
                   .device_ns = 5'012'000,
                   .min_ns = 500'000,
                   .p50_ns = 501'000,
                   .p95_ns = 503'000,
                   .max_ns = 505'000,
                   .bytes = 276'480'000},
                  {.name = "void normalize<unsigned char, float>(\"a, b\")",
                   .place = Place::Cuda,
                   .shapes = "",
                   .calls = 10,
                   .self_device_ns = 552'000,
                   .device_ns = 552'000,
                   .min_ns = 55'000,
                   .p50_ns = 55'200,
                   .p95_ns = 55'900,
                   .max_ns = 56'000}};
  return profile;
}

}  // namespace normbench
