/// The task that normbench gives to a peer, an external program: a chain of ops on one tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace peer {

using Json = nlohmann::json;

/// Thrown if the kernel cannot do a task. The text names what is not supported, such as "output
/// fresh". normbench then counts the variant that needs the task as skipped, not as failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Unsupported with the reason `otherwise` if `can` is false.
inline void require(bool can, const std::string& otherwise) {
  if (!can) throw Unsupported(otherwise);
}

/// The description of a tensor. The shape is n, c, h, w for both layouts. The layout decides the
/// order of the elements in memory. There are no gaps between elements.
struct Tensor {
  std::string dtype;   // uint8, float16, bfloat16, float32
  std::string layout;  // nchw, nhwc
  std::string memory;  // kind of memory, such as pageable
  std::array<std::int64_t, 4> shape{};

  bool is(const std::string& wanted_dtype, const std::string& wanted_layout) const {
    return dtype == wanted_dtype && layout == wanted_layout;
  }
  std::size_t bytes() const {
    std::size_t count = dtype == "uint8" ? 1 : dtype == "float32" ? 4 : 2;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
};

/// One op with its parameters and other options from the config.
struct Stage {
  std::string op;
  Json parameters = Json::object();
  std::string place = "cpu", kernel, output = "reuse";
  Tensor in, out;

  /// Throws Unsupported if the stage has a parameter that is not in `known`.
  void only(std::initializer_list<const char*> known) const {
    for (const auto& item : parameters.items()) {
      const bool found = std::any_of(known.begin(), known.end(),
                                     [&](const char* one) { return item.key() == one; });
      require(found, "\"" + item.key() + "\" of " + op);
    }
  }
  /// Returns a parameter as one value for each channel. A single value is repeated.
  std::vector<double> channels(const char* parameter) const {
    const Json& said = parameters.at(parameter);
    auto values =
        said.is_array() ? said.get<std::vector<double>>() : std::vector<double>{said.get<double>()};
    const auto count = static_cast<std::size_t>(in.shape[1]);
    if (values.size() == 1) values.resize(count, values[0]);
    if (values.size() != count)
      throw std::runtime_error(parameter + std::string(" fits no channels"));
    return values;
  }
};

/// The content of a `prepare` request. The first stage reads `input`, and each later stage reads
/// the output of the stage before it.
struct Task {
  int threads = 1;
  Tensor input;
  std::vector<Stage> stages;

  /// Returns the only stage of the task. Throws Unsupported if there are several stages, or if the
  /// op of the stage is not `op`.
  const Stage& only_stage(const std::string& op) const {
    require(stages.size() == 1 && stages[0].op == op, "anything but one " + op);
    return stages[0];
  }
};

namespace detail {

/// Returns the name of a dtype in .npy files. Throws std::runtime_error for an unknown dtype.
inline const char* descr_of(const std::string& dtype) {
  if (dtype == "uint8") return "|u1";
  if (dtype == "float16") return "<f2";
  if (dtype == "bfloat16") return "<u2";  // NumPy has no bfloat16: the bits as uint16
  if (dtype == "float32") return "<f4";
  throw std::runtime_error("unknown dtype \"" + dtype + "\"");
}

/// Returns `said` if it is a whole number of at least `least`. Throws std::runtime_error otherwise.
inline std::int64_t whole(const Json& said, std::int64_t least) {
  if (!said.is_number_integer() || said.get<std::int64_t>() < least)
    throw std::runtime_error(said.dump() + " (a whole number from " + std::to_string(least) +
                             " on was expected)");
  return said.get<std::int64_t>();
}

inline Tensor read_tensor(const Json& said) {
  Tensor tensor{said.at("dtype"), said.at("layout"), said.value("memory", "pageable"), {}};
  descr_of(tensor.dtype);
  require(said.value("pixel_format", "rgb") == "rgb", "other images than RGB");
  double elements = 1;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    tensor.shape[i] = whole(said.at("shape").at(i), 1);
    elements *= static_cast<double>(tensor.shape[i]);
  }
  if (elements > 1e15) throw std::runtime_error("a shape that no tensor here has");
  return tensor;
}

inline Task read_task(const Json& message) {
  require(message.at("device") == "cpu", "device " + message.at("device").dump());
  require(message.at("inputs").size() == 1 && !message.contains("outputs"),
          "other than a plain chain of stages with one input");
  const auto threads =
      static_cast<int>(std::min<std::int64_t>(whole(message.at("threads"), 1), 4096));
  Task task{threads, read_tensor(message.at("inputs").at(0)), {}};
  for (const Json& said : message.at("stages")) {
    require(said.at("in").size() == 1 && said.at("out").size() == 1, "several inputs or outputs");
    Stage stage{said.at("op"),
                Json::object(),
                said.value("place", "cpu"),
                said.value("kernel", ""),
                said.value("output", "reuse"),
                read_tensor(said.at("in").at(0)),
                read_tensor(said.at("out").at(0))};
    if (said.contains("parameters") && said.at("parameters").is_object())
      stage.parameters = said.at("parameters");
    require(stage.kernel.empty(), "the kernel " + stage.kernel);
    require(stage.output == "reuse" || stage.output == "fresh", "output " + stage.output);
    const Tensor& before = task.stages.empty() ? task.input : task.stages.back().out;
    if (stage.in.shape != before.shape || !stage.in.is(before.dtype, before.layout))
      throw std::runtime_error("prepare: " + stage.op +
                               " takes other than what is there before it");
    task.stages.push_back(std::move(stage));
  }
  if (task.stages.empty()) throw std::runtime_error("prepare: no stages");
  return task;
}

}  // namespace detail
}  // namespace peer
