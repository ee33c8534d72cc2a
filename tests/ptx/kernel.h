/// A PTX kernel made ready to run: numbered registers, and one function for each instruction.
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
using Lanes = u32;  // a bit for each thread of a warp

/// What is wrong with a kernel, or with what it does.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Op;
class Warp;
using Execute = void (*)(const Op& op, Warp& warp, Lanes lanes);

enum class Space : u8 { Generic, Global, Shared, Param };
/// Where shared memory starts among generic addresses; below, they are global ones.
inline constexpr u64 shared_window = u64{1} << 62;

enum class Flow : u8 { Next, Branch, Exit, Barrier };

/// Operands are columns: of a register, or ~n for constant n. Predicates have numbers of their own.
struct Op {
  Execute execute = nullptr;  // where the flow is Next
  Flow flow = Flow::Next;
  Space space = Space::Global;
  int guard = -1;
  bool unless = false;  // the guard's negation
  bool stores = false, gives_nothing = false;
  bool meets = false;  // the lanes wait for each other: .sync
  bool flushes = false, saturates = false;
  int rounding = FE_TONEAREST;
  int count = 1;  // of a vector's elements
  std::array<int, 4> to{-1, -1, -1, -1};
  std::array<int, 5> from{-1, -1, -1, -1, -1};
  s64 number = 0;  // an offset, the target of a branch, what a setp combines with
  std::string_view text;
};

/// A register that the machine fills. A block has a multiprocessor of its own, with its number.
/// While a block runs, 1,980 cycles and 1,000 ns go by.
enum class Special { Tid, Ntid, Ctaid, Nctaid, Lane, Processor, Cycles, Nanoseconds };

struct SpecialRegister {
  Special what;
  int axis, column;
};

/// An array in shared memory.
struct SharedArray {
  u64 begin = 0, bytes = 0;
  bool grows = false;  // by what a launch asks for
};

struct Kernel {
  std::string name;
  std::vector<Op> ops;
  int registers = 0, predicates = 0;
  std::vector<u64> constants;  // a column each
  std::vector<SpecialRegister> specials;
  std::size_t param_bytes = 0;
  std::vector<SharedArray> shared;
  bool has_barrier = false;
};

/// False: fma rounds its product as well, as host code does where nvcc has contracted.
enum class Fusing : bool { No, Yes };

/// The entry `name` of a module's text, which has to outlive the kernel. Throws Fault for an
/// instruction that is not known, with its whole name.
Kernel decode(std::string_view module, std::string_view name, Fusing fusing = Fusing::Yes);

/// Fills in what the name of an instruction says; the operands are there already.
void set_instruction(Op& op, std::string_view name, Fusing fusing);

}  // namespace normbench::ptx
