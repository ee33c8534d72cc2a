/// A fixture for runs with a fake device and a fake CPU, which write to the same log.
#pragma once

#include "fake_device.h"
#include "measure/engine.h"
#include "measure/run_fixture.h"

namespace normbench {

class DeviceTest : public RunTest {
 protected:
  DeviceTest() {
    auto owned = std::make_unique<FakeDevice>(clock, fake->log);
    device = owned.get();
    backends.list.push_back(std::move(owned));
    for (FakeRow& row : device->rows) row.cost_ns = 300'000;
  }

  FakeStage on_device(const Op& op, int row, OutputPolicy output = OutputPolicy::Reuse) {
    return {.op = op, .row = row, .output = output, .backend = device};
  }
  /// Returns a case that sends its source to the device and casts it there.
  Case send_and_cast(const std::string& variant = "send") {
    return make_case(variant, {on_device(H2d{}, 0), on_device(Cast{}, 1)});
  }
  static Source source_in(Memory memory) {
    Source source = small_source();
    source.memory = memory;
    return source;
  }
  GroupMemory memory_for(const std::vector<const Case*>& cases) {
    return GroupMemory(cases, plan.measure, backends, cache_bytes);
  }
  Engine placed(const Case& planned, GroupMemory& memory) {
    return Engine(planned, memory, backends, recorder, clock, random);
  }
  /// Runs `iterations` iterations. Returns what they wrote to the log.
  std::vector<std::string> log_of(Engine& prepared, int iterations,
                                  const EngineOptions& options = {}) {
    fake->log.clear();
    for (int i = 0; i < iterations; ++i) {
      prepared.advance();
      prepared.iterate(options);
    }
    return fake->log;
  }
  /// Prepares the case and runs one iteration. Returns what the iteration wrote to the log.
  std::vector<std::string> log_of(const Case& planned, const EngineOptions& options = {}) {
    GroupMemory memory = memory_for({&planned});
    Engine prepared = placed(planned, memory);
    return log_of(prepared, 1, options);
  }
  /// Returns the bytes of a tensor on the host or the device.
  std::vector<std::byte> bytes_of(const View& view) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(view.desc.bytes()));
    device->copy(bytes.data(), view.data, bytes.size());
    return bytes;
  }

  FakeDevice* device;
  std::mt19937_64 random{1};
};

}  // namespace normbench
