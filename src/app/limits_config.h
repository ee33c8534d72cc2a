/// The configs whose limits `normbench info` shows. Their names are those of the table: the
/// experiment is the kind, the variant without its axes the row; the fastest kernel counts.
#pragma once

#include <string_view>

namespace normbench {

/// Memory itself: buffers rotate over more than three times the last cache.
inline constexpr std::string_view kMemoryLimits = R"({
  "schema": 1,
  "name": "memory-limits",
  "measure": {"precision": 0.02, "max_seconds_per_group": 1, "cache": "cold"},
  "experiments": [{
    "name": "memory",
    "vary": {"threads": [1, "all"], "kernel": ["temporal", "nt"]},
    "source": {"dtype": "uint8", "batch": 20, "size": [512, 512]},
    "variants": {
      "read 1 : write 1": {
        "stages": [{"op": "stream", "read": 1, "write": 1, "kernel": "$kernel"}],
        "threads": "$threads"
      },
      "read 1 : write 2": {
        "stages": [{"op": "stream", "read": 1, "write": 2, "kernel": "$kernel"}],
        "threads": "$threads"
      },
      "read 1 : write 4": {
        "stages": [{"op": "stream", "read": 1, "write": 4, "kernel": "$kernel"}],
        "threads": "$threads"
      }
    }
  }]
})";

/// All else, on one set of buffers: those of the link and the GPU, 256 MiB, are larger than caches.
inline constexpr std::string_view kOtherLimits = R"({
  "schema": 1,
  "name": "other-limits",
  "measure": {"precision": 0.02, "max_seconds_per_group": 0.5, "cache": "hot"},
  "defaults": {"source": {"dtype": "float32", "batch": 85, "size": [512, 514]}},
  "experiments": [
    {
      "name": "cache",
      "source": {"batch": 1, "size": [128, 170]},
      "variants": {
        "read 1 : write 1": [{"op": "stream", "read": 1, "write": 1, "kernel": "temporal"}],
        "read 1 : write 4": [{"op": "stream", "read": 1, "write": 4, "kernel": "temporal"}]
      }
    },
    {
      "name": "page faults",
      "vary": {"threads": [1, "all"]},
      "source": {"batch": 20, "size": [512, 512]},
      "variants": {
        "first touch of a page": {
          "stages": [{"op": "first_touch", "output": "fresh"}],
          "threads": "$threads"
        }
      }
    },
    {
      "name": "threads",
      "source": {"batch": 1, "size": [64, 64]},
      "threads": "all",
      "variants": {"start and join a team": [{"op": "launch", "place": "cpu"}]}
    },
    {
      "name": "link",
      "vary": {"memory": ["pinned", "pageable"]},
      "variants": {
        "to the GPU": [{"op": "source", "memory": "$memory"}, "h2d"],
        "from the GPU": [{"op": "source", "memory": "device"}, {"op": "d2h", "memory": "$memory"}],
        "both ways at once, pinned": [{"op": "source", "memory": "pinned"}, "exchange"]
      }
    },
    {
      "name": "GPU memory",
      "vary": {"kernel": ["vector", "streaming"]},
      "source": {"memory": "device"},
      "variants": {
        "read 1 : write 1": [{"op": "stream", "read": 1, "write": 1, "kernel": "$kernel"}],
        "read 1 : write 2": [{"op": "stream", "read": 1, "write": 2, "kernel": "$kernel"}],
        "read 1 : write 4": [{"op": "stream", "read": 1, "write": 4, "kernel": "$kernel"}]
      }
    },
    {
      "name": "launch",
      "source": {"batch": 1, "size": [64, 64], "memory": "device"},
      "variants": {"launch": ["launch"], "launch and wait": ["launch", "sync"]}
    }
  ]
})";

}  // namespace normbench
