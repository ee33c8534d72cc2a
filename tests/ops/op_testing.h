/// Helpers for the tests of ops.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ops/op.h"

namespace normbench {

/// Reads `text` as the parameters of the op `name`. Returns the mistakes as "pointer: text".
inline std::vector<std::string> mistakes(std::string_view name, const std::string& text) {
  const Json json = Json::parse(text);
  std::vector<Issue> issues;
  Reader reader(json, "", issues);
  read_op(name, reader);
  reader.finish();
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(issue.pointer + ": " + issue.text);
  return lines;
}

/// Returns the op that `text` describes. Fails the test if `text` has mistakes.
template <class T>
T made(const std::string& text) {
  const Json json = Json::parse(text);
  std::vector<Issue> issues;
  Reader reader(json, "", issues);
  T op = T::read(reader);
  reader.finish();
  EXPECT_TRUE(issues.empty()) << text << ": " << (issues.empty() ? "" : issues[0].text);
  return op;
}

/// Returns the message that infer() throws, or "no error".
inline std::string infer_error(const Op& op, const std::vector<TensorDesc>& in) {
  try {
    infer(op, in);
  } catch (const Invalid& mistake) {
    return mistake.what();
  }
  return "no error";
}

/// Returns the op's output for one input.
inline Tensor64 result(const Op& op, const Tensor64& in) {
  std::vector<Tensor64> out(1);
  reference(op, std::vector{in}, out, 0);
  return out[0];
}

/// Returns the accuracy of the op's output if the input has accuracy `known`.
inline Accuracy accuracy_of(const Op& op, const Tensor64& in, const Accuracy& known,
                            const TensorDesc& out) {
  const Known from{in, known};
  const Tensor64 exact = result(op, in);
  return accuracies(op, std::span(&from, 1), std::span(&exact, 1), std::span(&out, 1)).at(0);
}

inline TensorDesc nchw(DType dtype, Shape shape, Memory memory = Memory::Pageable) {
  return dense(dtype, Layout::Nchw, shape, memory);
}

/// Writes a file into the temporary folder of the tests and returns its path.
inline std::string write_file(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace normbench
