/// A fixture with a peer server, which runs cases for another process. The server here runs the
/// CPU's real kernels. Also has functions that make messages to the server.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fake_backend.h"
#include "core/reader.h"
#include "measure/peer/server.h"
#include "ops/array_file.h"

namespace normbench {

inline Backends cpu_alone() {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  return backends;
}

inline TensorDesc tensor(DType dtype, Layout layout = Layout::Nchw, Shape shape = {2, 3, 4, 5}) {
  return dense(dtype, layout, shape, Memory::Pageable);
}

/// Returns a path that no other test uses.
inline std::string own_path(const std::string& name) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}{}.{}.{}", testing::TempDir(), test->test_suite_name(), test->name(), name);
}

/// Writes a tensor with the elements 0, 1, 2, ..., 255, 0, ... to a .npy file (the counting
/// tensor). Returns the file's path.
inline std::string counting_file(const TensorDesc& desc) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
  Tensor64 values{.shape = desc.shape, .values = {}};
  for (std::int64_t i = 0; i < desc.elements(); ++i)
    values.values.push_back(static_cast<double>(i % 256));
  const View view{.data = bytes.data(), .desc = desc};
  from_double(values, view, 0);
  const std::string path = own_path("in.npy");
  write_npy(path, view);
  return path;
}

inline Json stage_message(const std::string& op, const Json& parameters, const TensorDesc& in,
                          const TensorDesc& out) {
  return {{"op", op},
          {"parameters", parameters},
          {"place", "cpu"},
          {"output", "reuse"},
          {"in", Json::array({tensor_json(in)})},
          {"out", Json::array({tensor_json(out)})}};
}

/// Returns a `prepare` message for `stages`. The source is the counting tensor of description
/// `input`.
inline Json prepare_message(const TensorDesc& input, const std::vector<Json>& stages) {
  Json source = tensor_json(input);
  source["path"] = counting_file(input);
  return {{"type", "prepare"},
          {"threads", 1},
          {"device", "cpu"},
          {"copies", 1},
          {"inputs", Json::array({source})},
          {"stages", Json(stages)}};
}

/// Returns a `prepare` message for one `normalize` stage with these parameters, on the counting
/// tensor.
inline Json normalize_message(const Json& parameters, DType to = DType::Float32,
                              Layout layout = Layout::Nchw) {
  const TensorDesc in = tensor(DType::UInt8);
  return prepare_message(in, {stage_message("normalize", parameters, in, tensor(to, layout))});
}

inline const Json plain = {{"mean", {1, 2, 3}}, {"std", {2, 4, 8}}};

class PeerServerTest : public testing::Test {
 protected:
  PeerServerTest() { clock.reading_ns = 1000; }

  std::unique_ptr<PeerServer> new_server(Clock& its_clock) {
    return std::make_unique<PeerServer>(its_clock, [](int) { return cpu_alone(); });
  }
  Json reply(const Json& message) { return server->reply(message.dump()).value(); }
  Json run(std::int64_t iterations, std::int64_t warmup_ns) {
    return reply({{"type", "run"}, {"iterations", iterations}, {"warmup_ns", warmup_ns}});
  }
  /// Requests the output of the last iteration. Returns its values in logical order, whatever the
  /// layout.
  std::vector<double> written(const TensorDesc& result) {
    const std::string path = own_path("out.npy");
    EXPECT_EQ(reply({{"type", "output"}, {"path", path}}), Json({{"type", "written"}}));
    return to_double(ArrayFile(path, result).view(), 0, result.shape.n).values;
  }
  /// Sends `message` to a new server and runs one iteration. Returns the output.
  std::vector<double> output_of(const Json& message, const TensorDesc& result) {
    server = new_server(clock);
    EXPECT_EQ(reply(message), ready);
    EXPECT_EQ(run(1, 0).at("type"), "ran");
    return written(result);
  }

  const Json ready = {{"type", "ready"}};
  FakeClock clock;
  std::unique_ptr<PeerServer> server = new_server(clock);
};

}  // namespace normbench
