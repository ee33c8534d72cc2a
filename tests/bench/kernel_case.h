/// Prepares a CPU kernel row (an implementation of an op) for an input. Ops and rows are named as
/// in configs.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace normbench {

/// One kernel row of one op, with one input.
struct KernelCase {
  std::string op, row;
  std::string parameters;  // as in a config, in JSON
  TensorDesc in;
  DType to;  // used only if the op has such a parameter
  Layout layout;
  int threads;
  Cache cache;
};

/// Returns the op with its parameters. A missing mean or std gets a usual value for images. Throws
/// Invalid if the op is unknown or a parameter is wrong.
inline Op op_of(const KernelCase& what) {
  std::vector<Issue> issues;
  Json json = parse_json(what.parameters, issues);
  const auto add = [&](std::string_view op, const char* key, const Json& value) {
    if (what.op == op && !json.contains(key)) json[key] = value;
  };
  const bool photo = what.in.shape.c == 3;
  const Json mean = photo ? Json{123.675, 116.28, 103.53} : Json(127.5);
  const Json std = photo ? Json{58.395, 57.12, 57.375} : Json(63.75);
  for (const std::string_view op : {Normalize::name, Sub::name}) add(op, "mean", mean);
  for (const std::string_view op : {Normalize::name, Div::name}) add(op, "std", std);
  add(Normalize::name, "dtype", name_of(what.to));
  add(Normalize::name, "layout", name_of(what.layout));
  add(Cast::name, "to", name_of(what.to));
  add(LayoutOp::name, "to", name_of(what.layout));
  Reader reader(json, "", issues);
  const auto op = read_op(what.op, reader);
  if (!op) throw Invalid("unknown op \"" + what.op + "\"");
  reader.finish();
  if (!issues.empty()) throw Invalid(what.op + issues[0].pointer + ": " + issues[0].text);
  return *op;
}

/// A kernel row and the arguments for Kernel::prepare.
struct BoundKernel {
  Kernel kernel;
  Op op;
  Signature signature;
};

/// Returns the kernel row of `what` with its arguments. Throws Invalid if a name is unknown, or if
/// the op or the row does not accept the input.
inline BoundKernel bind(const KernelCase& what, const Backend& backend) {
  const Op op = op_of(what);
  Signature signature{.in = {what.in}, .out = infer(op, std::span(&what.in, 1))};
  signature.reuse_bytes = what.cache == Cache::Cold ? std::numeric_limits<std::int64_t>::max()
                                                    : what.in.bytes() + signature.out[0].bytes();
  for (const Kernel& kernel : backend.kernels()) {
    if (kernel.op != what.op || kernel.name != what.row) continue;
    if (!kernel.accepts(op, signature)) throw Invalid("the row does not take this input");
    return {.kernel = kernel, .op = op, .signature = signature};
  }
  throw Invalid("no row \"" + what.row + "\" of op \"" + what.op + "\"");
}

}  // namespace normbench
