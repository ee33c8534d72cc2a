/// A decoded PTX kernel: registers have numbers, and each instruction has a function.
#pragma once

#include <array>
#include <cfenv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/values.h"

namespace normbench::ptx {

inline constexpr int warp_lanes = 32;
using Lanes = u32;  // one bit per thread of a warp

/// An error in the text of a kernel, or an error that occurs when it runs.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Op;
class Warp;
using Execute = void (*)(const Op& op, Warp& warp, Lanes lanes);

enum class Space : u8 { Generic, Global, Shared, Param };
/// The generic address at which shared memory starts. Lower addresses are global memory.
inline constexpr u64 shared_window = u64{1} << 62;

enum class Flow : u8 { Next, Branch, Exit, Barrier };

/// An instruction. Its operands are numbers of columns: n for register n, and ~n for constant n.
/// Predicates are numbered separately.
struct Op {
  Execute execute = nullptr;  // set if the flow is Next
  Flow flow = Flow::Next;
  Space space = Space::Global;
  int guard = -1;
  bool unless = false;  // runs if the guard is false
  bool stores = false, gives_nothing = false;
  bool meets = false;  // .sync: the lanes wait for each other
  bool flushes = false, saturates = false;
  int rounding = FE_TONEAREST;
  int count = 1;  // elements of a vector
  std::array<int, 4> to{-1, -1, -1, -1};
  std::array<int, 5> from{-1, -1, -1, -1, -1};
  s64 number = 0;  // an offset, the target of a branch, or the relation of a setp
  std::string_view text;
};

/// A register that the hardware sets. In the interpreter, Processor is the block's number, and each
/// block takes 1,980 cycles and 1,000 ns.
enum class Special { Tid, Ntid, Ctaid, Nctaid, Lane, Processor, Cycles, Nanoseconds };

struct SpecialRegister {
  Special what;
  int axis, column;
};

/// An array in shared memory.
struct SharedArray {
  u64 begin = 0, bytes = 0;
  bool grows = false;  // its size is set by the launch
};

struct Kernel {
  std::string name;
  std::vector<Op> ops;
  int registers = 0, predicates = 0;
  std::vector<u64> constants;  // one column per constant
  std::vector<SpecialRegister> specials;
  std::size_t param_bytes = 0;
  std::vector<SharedArray> shared;
  bool has_barrier = false;
};

/// With No, an fma instruction rounds its product before the addition. The host code does the same
/// for an a * b + c that nvcc compiles to an fma.
enum class Fusing : bool { No, Yes };

/// Decodes the entry `name` of a module. `module` must outlive the kernel. If an instruction is
/// unknown, throws Fault with its whole name.
Kernel decode(std::string_view module, std::string_view name, Fusing fusing = Fusing::Yes);

/// Sets the fields that the name of an instruction determines. The operands must be set before.
void set_instruction(Op& op, std::string_view name, Fusing fusing);

}  // namespace normbench::ptx
