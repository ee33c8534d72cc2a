/// A decoded PTX kernel: registers have numbers, and each instruction has a C++ function that
/// executes it.
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

/// An error in the text of a kernel, or an error that occurs while the kernel runs.
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

/// An instruction. An operand number stands for a column of values, one for each lane of a warp: n
/// is register n, and ~n is constant n. Predicates have their own numbers. In `to` and `guard`, -1
/// means none.
struct Op {
  Execute execute = nullptr;  // set if the flow is Next
  Flow flow = Flow::Next;
  Space space = Space::Global;
  int guard = -1;
  bool unless = false;  // execute if the guard is false
  bool stores = false, gives_nothing = false;
  bool meets = false;  // for names with .sync: lanes wait for each other
  bool flushes = false, saturates = false;
  int rounding = FE_TONEAREST;
  int count = 1;  // elements of a vector
  std::array<int, 4> to{-1, -1, -1, -1};
  std::array<int, 5> from{-1, -1, -1, -1, -1};
  s64 number = 0;  // an offset, the target of a branch, or the relation of a setp
  std::string_view text;
};

/// A register that the hardware sets. In the interpreter, Processor (%smid) is the block's number.
/// Cycles (%clock64) is 1,980 * p, and Nanoseconds (%globaltimer) is 1,000 * p, where p is the
/// number of the block's first phase. A phase is the time between two barriers.
enum class Special { Tid, Ntid, Ctaid, Nctaid, Lane, Processor, Cycles, Nanoseconds };

struct SpecialRegister {
  Special what;
  int axis, column;
};

/// An array in shared memory.
struct SharedArray {
  u64 begin = 0, bytes = 0;
  bool grows = false;  // the launch sets its size
};

struct Kernel {
  std::string name;
  std::vector<Op> ops;
  int registers = 0, predicates = 0;
  std::vector<u64> constants;  // one column of 32 equal values per constant
  std::vector<SpecialRegister> specials;
  std::size_t param_bytes = 0;
  std::vector<SharedArray> shared;
  bool has_barrier = false;
};

/// With Fusing::No, an fma instruction rounds its product before the addition. Its result then
/// equals that of host code that does not fuse a * b + c.
enum class Fusing : bool { No, Yes };

/// Decodes the entry `name` of a module. `module` must outlive the kernel. If an instruction is
/// unknown, throws Fault with the whole name of the instruction.
Kernel decode(std::string_view module, std::string_view name, Fusing fusing = Fusing::Yes);

/// Sets the fields of `op` that the instruction's name determines. The operands of `op` must be set
/// before, because mov depends on op.count.
void set_instruction(Op& op, std::string_view name, Fusing fusing);

}  // namespace normbench::ptx
