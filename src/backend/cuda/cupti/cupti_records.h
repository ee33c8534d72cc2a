/// From CUPTI's records to what a device and the calls to it did.
#pragma once

#include <cstdint>
#include <span>

#include "record/device_trace.h"
#include "backend/cuda/cupti/cupti_clock.h"
#include "backend/cuda/cupti/cupti_library.h"

namespace normbench::cupti {

/// All records of filled buffers, which may come in any order. External ids are those pushed as
/// CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0. Of `cupti`, get_next_record and get_callback_name are
/// called. Copies all names, for CUPTI owns those in the records. A record that was cut off counts
/// as dropped, and so does one for each buffer that ends in what is no whole record.
DeviceTrace read_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti,
                         const ClockMap& clock);

}  // namespace normbench::cupti
