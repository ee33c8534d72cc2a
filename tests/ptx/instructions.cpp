/// What each instruction does. See the PTX ISA manual, chapter "Instruction Set".
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "ptx/kernel.h"
#include "ptx/values.h"
#include "ptx/warp.h"

namespace normbench::ptx {
namespace {

enum class Type { None, U8, U16, U32, U64, S8, S16, S32, S64, F16, BF16, F32, F64, Pair, BPair };

/// C++'s type of each; numbers of bits count as unsigned ones.
template <class T>
constexpr Type type_of = Type::None;
// clang-format off
template <> constexpr Type type_of<std::uint8_t> = Type::U8;
template <> constexpr Type type_of<std::uint16_t> = Type::U16;
template <> constexpr Type type_of<std::uint32_t> = Type::U32;
template <> constexpr Type type_of<std::uint64_t> = Type::U64;
template <> constexpr Type type_of<std::int8_t> = Type::S8;
template <> constexpr Type type_of<std::int16_t> = Type::S16;
template <> constexpr Type type_of<std::int32_t> = Type::S32;
template <> constexpr Type type_of<std::int64_t> = Type::S64;
template <> constexpr Type type_of<F16> = Type::F16;
template <> constexpr Type type_of<BF16> = Type::BF16;
template <> constexpr Type type_of<float> = Type::F32;
template <> constexpr Type type_of<double> = Type::F64;

template <class... Ts> struct Types {};
using Unsigned = Types<std::uint16_t, std::uint32_t, std::uint64_t>;
using Integers = Types<std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t, std::int64_t>;
using Floats = Types<float, double>;
using Numbers = Types<std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t, std::int64_t,
                      float, double>;
using Loaded = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                     std::int32_t, std::int64_t>;
// clang-format on

template <class T>
struct Wide;
template <>
struct Wide<std::uint16_t> : std::type_identity<std::uint32_t> {};
template <>
struct Wide<std::int16_t> : std::type_identity<std::int32_t> {};
template <>
struct Wide<std::uint32_t> : std::type_identity<std::uint64_t> {};
template <>
struct Wide<std::int32_t> : std::type_identity<std::int64_t> {};

/// The name of an instruction in parts, which are taken one after another; none may be left.
class Name {
 public:
  explicit Name(std::string_view whole) : whole_(whole) {
    for (std::size_t begin = 0; begin <= whole.size();) {
      const std::size_t end = std::min(whole.find('.', begin), whole.size());
      parts_.push_back(whole.substr(begin, end - begin));
      begin = end + 1;
    }
    base = take_first();
  }

  std::string_view base;

  [[noreturn]] void unknown() const { throw Fault(fmt::format("unknown instruction {}", whole_)); }
  bool take(std::string_view part) { return std::erase(parts_, part) > 0; }
  bool take_any(std::initializer_list<std::string_view> parts) {
    return std::ranges::count_if(parts, [&](std::string_view part) { return take(part); }) > 0;
  }
  /// The first of these that is there.
  template <class T>
  std::optional<T> take_one(std::initializer_list<std::pair<std::string_view, T>> choices) {
    for (const auto& [part, value] : choices)
      if (take(part)) return value;
    return std::nullopt;
  }
  /// The type that comes next from the end.
  Type take_type() {
    static const std::map<std::string_view, Type> types{
        {"u8", Type::U8},      {"b8", Type::U8},       {"s8", Type::S8},   {"u16", Type::U16},
        {"b16", Type::U16},    {"s16", Type::S16},     {"u32", Type::U32}, {"b32", Type::U32},
        {"s32", Type::S32},    {"u64", Type::U64},     {"b64", Type::U64}, {"s64", Type::S64},
        {"f32", Type::F32},    {"f64", Type::F64},     {"f16", Type::F16}, {"bf16", Type::BF16},
        {"f16x2", Type::Pair}, {"bf16x2", Type::BPair}};
    const auto found = parts_.empty() ? types.end() : types.find(parts_.back());
    if (found == types.end()) unknown();
    parts_.pop_back();
    return found->second;
  }
  void check_all_taken() const {
    if (!parts_.empty()) unknown();
  }

 private:
  std::string_view take_first() {
    const std::string_view first = parts_.front();
    parts_.erase(parts_.begin());
    return first;
  }

  std::string_view whole_;
  std::vector<std::string_view> parts_;
};

/// What `make` gives for the C++ type among Ts that is meant.
template <class... Ts, class Make>
Execute among(Types<Ts...>, const Name& name, Type type, Make make) {
  Execute found = nullptr;
  ((type == type_of<Ts> ? void(found = make.template operator()<Ts>()) : void()), ...);
  if (!found) name.unknown();
  return found;
}

/// Two's complement does the same for both.
Type without_sign(Type type) {
  return type >= Type::S8 && type <= Type::S64 ? Type(int(type) - int(Type::S8) + int(Type::U8))
                                               : type;
}
bool is_float(Type type) { return type == Type::F32 || type == Type::F64; }

template <class T>
T operand(const Op& op, std::uint64_t bits) {
  const T x = from_bits<T>(bits);
  return op.flushes ? flushed(x) : x;
}

template <class T>
std::uint64_t result(const Op& op, T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return to_bits(op.saturates ? T{0} : canonical_nan<T>());
    if (op.flushes) x = flushed(x);
    if (op.saturates) x = x > T{0} ? std::min(x, T{1}) : T{0};
  }
  return to_bits(x);
}

/// Each lane's value of F of its operands.
template <class F, class To, class... From, std::size_t... At>
void map_at(std::index_sequence<At...>, const Op& op, Warp& warp, Lanes lanes) {
  std::uint64_t* to = warp.column_to(op.to[0]);
  const std::array columns{warp.column(op.from[At])...};
  for_each_lane(lanes, [&](int lane) {
    to[lane] = result(op, static_cast<To>(F{}(operand<From>(op, columns[At][lane])...)));
  });
}
template <class F, class To, class... From>
void map(const Op& op, Warp& warp, Lanes lanes) {
  map_at<F, To, From...>(std::index_sequence_for<From...>{}, op, warp, lanes);
}

template <class F, class T>
constexpr Execute map1 = map<F, T, T>;
template <class F, class T>
constexpr Execute map2 = map<F, T, T, T>;
template <class F, class T>
constexpr Execute map3 = map<F, T, T, T, T>;

/// The same for one type among those in a list.
template <class F>
Execute unary(auto types, const Name& name, Type type) {
  return among(types, name, type, []<class T> { return map1<F, T>; });
}
template <class F>
Execute binary(auto types, const Name& name, Type type) {
  return among(types, name, type, []<class T> { return map2<F, T>; });
}
template <class F>
Execute ternary(auto types, const Name& name, Type type) {
  return among(types, name, type, []<class T> { return map3<F, T>; });
}

// clang-format off
using Add = decltype([](auto a, auto b) { return a + b; });
using Subtract = decltype([](auto a, auto b) { return a - b; });
using Multiply = decltype([](auto a, auto b) { return a * b; });
using MultiplyWords = decltype([](auto a, auto b) { return std::uint64_t{a} * b; });
using Divide = decltype([](auto a, auto b) { return a / b; });
using And = decltype([](auto a, auto b) { return a & b; });
using Or = decltype([](auto a, auto b) { return a | b; });
using Xor = decltype([](auto a, auto b) { return a ^ b; });
using Not = decltype([](auto a) { return ~a; });
using Same = decltype([](auto a) { return a; });
using Negate = decltype([](auto a) { return -a; });
using NegateWord = decltype([](auto a) { return 0 - std::uint64_t{a}; });
using Absolute = decltype([](auto a) { return std::abs(a); });
using AbsoluteWord = decltype([](auto a) { return a < 0 ? 0 - static_cast<std::uint64_t>(a) : std::uint64_t(a); });
using SquareRoot = decltype([](auto a) { return std::sqrt(a); });
using Reciprocal = decltype([](auto a) { return 1 / a; });
using FusedMultiplyAdd = decltype([](auto a, auto b, auto c) { return std::fma(a, b, c); });
using MultiplyAdd = decltype([](auto a, auto b, auto c) { return a * b + c; });
using MultiplyAddWords = decltype([](auto a, auto b, auto c) { return std::uint64_t{a} * b + c; });
using PopulationCount = decltype([](auto a) { return std::popcount(a); });
using LeadingZeros = decltype([](auto a) { return std::countl_zero(a); });
// clang-format on

template <class T>
constexpr int bits_of = 8 * static_cast<int>(sizeof(T));

using Minimum = decltype([](auto a, auto b) {
  if constexpr (std::is_floating_point_v<decltype(a)>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
});
using Maximum = decltype([](auto a, auto b) {
  if constexpr (std::is_floating_point_v<decltype(a)>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
});
using High = decltype([](auto a, auto b) {
  __extension__ using Product =
      std::conditional_t<std::is_signed_v<decltype(a)>, __int128, unsigned __int128>;
  return static_cast<decltype(a)>(static_cast<Product>(a) * b >> bits_of<decltype(a)>);
});
using HighAdd = decltype([](auto a, auto b, auto c) {
  return static_cast<std::uint64_t>(High{}(a, b)) + static_cast<std::uint64_t>(c);
});
using WideMultiply = decltype([](auto a, auto b) {
  using To = typename Wide<decltype(a)>::type;
  return static_cast<To>(To{a} * To{b});
});
using WideMultiplyAdd = decltype([](auto a, auto b, auto c) {
  return static_cast<std::uint64_t>(WideMultiply{}(a, b)) + static_cast<std::uint64_t>(c);
});
using ShiftLeft = decltype([](auto a, std::uint32_t n) {
  return n < unsigned{bits_of<decltype(a)>} ? std::uint64_t{a} << n : 0;
});
using ShiftRight = decltype([](auto a, std::uint32_t n) {
  constexpr unsigned most = bits_of<decltype(a)> - 1;
  if (n > most && std::is_unsigned_v<decltype(a)>) return decltype(a){0};
  return static_cast<decltype(a)>(a >> std::min(n, most));
});
using ReverseBits = decltype([](auto a) {
  decltype(a) reversed = 0;
  for (int i = 0; i < bits_of<decltype(a)>; ++i, a >>= 1) reversed = reversed << 1 | (a & 1);
  return reversed;
});
using ExtractField = decltype([](auto a, std::uint32_t first, std::uint32_t count) {
  using T = decltype(a);
  const int most = bits_of<T> - 1, position = first & 0xFF, length = count & 0xFF;
  if (length == 0) return T{0};
  const auto bit = [&](int i) { return static_cast<std::uint64_t>(a) >> i & 1; };
  const bool sign = std::is_signed_v<T> && bit(std::min(position + length - 1, most)) != 0;
  std::uint64_t field = 0;
  for (int i = 0; i <= most; ++i)
    field |= (i < length && position + i <= most ? bit(position + i) : sign) << i;
  return static_cast<T>(field);
});
using InsertField = decltype([](auto a, auto b, std::uint32_t first, std::uint32_t count) {
  const int bits = bits_of<decltype(a)>, position = first & 0xFF, length = count & 0xFF;
  for (int i = 0; i < length && position + i < bits; ++i) {
    const auto bit = decltype(a){1} << (position + i);
    b = (a >> i & 1) != 0 ? b | bit : b & ~bit;
  }
  return b;
});
using Permute = decltype([](std::uint32_t a, std::uint32_t b, std::uint32_t choice) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t chosen = 0;
  for (int i = 0; i < 4; ++i, choice >>= 4) {
    const auto byte = static_cast<std::uint8_t>(bytes >> 8 * (choice & 7));
    const std::uint32_t value = (choice & 8) == 0 ? byte : byte & 0x80 ? 0xFF : 0;
    chosen |= value << 8 * i;
  }
  return chosen;
});
using Logic = decltype([](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) value |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return value;
});
template <bool Left, bool Wraps>
using Funnel = decltype([](std::uint32_t low, std::uint32_t high, std::uint32_t count) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  const std::uint32_t n = Wraps ? count & 31 : std::min(count, 32u);
  return static_cast<std::uint32_t>(Left ? both << n >> 32 : both >> n);
});

/// A device divides by zero without a word; the interpreter does not.
template <class T, bool Rest>
void divide(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t *a = warp.column(op.from[0]), *b = warp.column(op.from[1]);
  std::uint64_t* to = warp.column_to(op.to[0]);
  for_each_lane(lanes, [&](int lane) {
    const T x = from_bits<T>(a[lane]), y = from_bits<T>(b[lane]);
    if (y == 0) warp.fail(op, lane, "division by zero");
    const bool negates = std::is_signed_v<T> && y == static_cast<T>(-1);  // x may have no negative
    const std::uint64_t quotient =
        negates ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x / y);
    to[lane] = Rest ? to_bits(static_cast<T>(x - quotient * y)) : quotient;
  });
}

/// With the carry of each lane, which goes in with `Uses` and out with `Sets`.
template <class T, bool Subtracts, bool Uses, bool Sets>
void add_with_carry(const Op& op, Warp& warp, Lanes lanes) {
  __extension__ using Wider = unsigned __int128;
  const std::uint64_t *a = warp.column(op.from[0]), *b = warp.column(op.from[1]);
  std::uint64_t* to = warp.column_to(op.to[0]);
  for_each_lane(lanes, [&](int lane) {
    const Wider carry = Uses ? warp.carry >> lane & 1 : 0;
    const Wider x = static_cast<T>(a[lane]), y = static_cast<T>(b[lane]);
    const Wider sum = Subtracts ? x - y - carry : x + y + carry;
    to[lane] = static_cast<T>(sum);
    if (!Sets) return;
    const Lanes out = static_cast<Lanes>(sum >> bits_of<T> & 1) << lane;
    warp.carry = (warp.carry & ~(Lanes{1} << lane)) | out;
  });
}

template <bool Subtracts>
Execute carrying(Name& name, bool uses, Type type) {
  const bool sets = name.take("cc");
  return among(Types<std::uint32_t, std::uint64_t>{}, name, type, [&]<class T> {
    return uses ? sets ? add_with_carry<T, Subtracts, true, true>
                       : add_with_carry<T, Subtracts, true, false>
                : add_with_carry<T, Subtracts, false, true>;
  });
}

/// Predicates as a whole.
template <class F>
void on_predicates(const Op& op, Warp& warp, Lanes lanes) {
  const Lanes a = warp.predicate(op.from[0]);
  if constexpr (std::is_invocable_v<F, Lanes>)
    warp.set_predicate(op.to[0], F{}(a), lanes);
  else
    warp.set_predicate(op.to[0], F{}(a, warp.predicate(op.from[1])), lanes);
}

enum class Combine { None, And, Or, Xor };

template <class F, class T>
void compare(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t *a = warp.column(op.from[0]), *b = warp.column(op.from[1]);
  Lanes yes = 0;
  for_each_lane(lanes, [&](int lane) {
    yes |= Lanes{F{}(operand<T>(op, a[lane]), operand<T>(op, b[lane]))} << lane;
  });
  const auto combine = static_cast<Combine>(op.number);
  const Lanes c = combine == Combine::None ? 0 : warp.predicate(op.from[2]);
  const auto combined = [&](Lanes p) {
    return combine == Combine::And ? p & c : combine == Combine::Or ? p | c : p ^ c;
  };
  warp.set_predicate(op.to[0], combined(yes), lanes);
  warp.set_predicate(op.to[1], combined(~yes), lanes);
}

template <class F>
constexpr auto comparison = []<class T> { return Execute{compare<F, T>}; };

Execute set_predicate(Name& name, Type type) {
  // clang-format off
  using Equal = decltype([](auto a, auto b) { return a == b; });
  using Unequal = decltype([](auto a, auto b) { return a < b || a > b; });
  using Less = decltype([](auto a, auto b) { return a < b; });
  using LessEqual = decltype([](auto a, auto b) { return a <= b; });
  using Greater = decltype([](auto a, auto b) { return a > b; });
  using GreaterEqual = decltype([](auto a, auto b) { return a >= b; });
  using Numeric = decltype([](auto a, auto b) { return a == a && b == b; });
  using NotNumeric = decltype([](auto a, auto b) { return a != a || b != b; });
  using EqualOrNan = decltype([](auto a, auto b) { return !(a < b || a > b); });
  using UnequalOrNan = decltype([](auto a, auto b) { return a != b; });
  using LessOrNan = decltype([](auto a, auto b) { return !(a >= b); });
  using LessEqualOrNan = decltype([](auto a, auto b) { return !(a > b); });
  using GreaterOrNan = decltype([](auto a, auto b) { return !(a <= b); });
  using GreaterEqualOrNan = decltype([](auto a, auto b) { return !(a < b); });
  // clang-format on
  const auto numbers = [&](auto make) { return among(Numbers{}, name, type, make); };
  const auto floats = [&](auto make) { return among(Floats{}, name, type, make); };
  const auto words = [&](auto make) { return among(Unsigned{}, name, type, make); };
  if (name.take("eq")) return numbers(comparison<Equal>);
  if (name.take("ne")) return numbers(comparison<Unequal>);
  if (name.take("lt")) return numbers(comparison<Less>);
  if (name.take("le")) return numbers(comparison<LessEqual>);
  if (name.take("gt")) return numbers(comparison<Greater>);
  if (name.take("ge")) return numbers(comparison<GreaterEqual>);
  if (name.take("lo")) return words(comparison<Less>);
  if (name.take("ls")) return words(comparison<LessEqual>);
  if (name.take("hi")) return words(comparison<Greater>);
  if (name.take("hs")) return words(comparison<GreaterEqual>);
  if (name.take("num")) return floats(comparison<Numeric>);
  if (name.take("nan")) return floats(comparison<NotNumeric>);
  if (name.take("equ")) return floats(comparison<EqualOrNan>);
  if (name.take("neu")) return floats(comparison<UnequalOrNan>);
  if (name.take("ltu")) return floats(comparison<LessOrNan>);
  if (name.take("leu")) return floats(comparison<LessEqualOrNan>);
  if (name.take("gtu")) return floats(comparison<GreaterOrNan>);
  if (name.take("geu")) return floats(comparison<GreaterEqualOrNan>);
  name.unknown();
}

void select(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t *a = warp.column(op.from[0]), *b = warp.column(op.from[1]);
  std::uint64_t* to = warp.column_to(op.to[0]);
  const Lanes first = warp.predicate(op.from[2]);
  for_each_lane(lanes, [&](int lane) { to[lane] = (first >> lane & 1 ? a : b)[lane]; });
}

/// mov between a register and a vector of `Bits` each.
template <int Bits>
void pack(const Op& op, Warp& warp, Lanes lanes) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << Bits) - 1;
  for_each_lane(lanes, [&](int lane) {
    std::uint64_t whole = 0;
    for (int i = 0; i < op.count; ++i)
      whole |= (warp.column(op.from[static_cast<std::size_t>(i)])[lane] & mask) << Bits * i;
    warp.column_to(op.to[0])[lane] = whole;
  });
}
template <int Bits>
void unpack(const Op& op, Warp& warp, Lanes lanes) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << Bits) - 1;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t whole = warp.column(op.from[0])[lane];
    for (int i = 0; i < op.count; ++i)
      warp.column_to(op.to[static_cast<std::size_t>(i)])[lane] = whole >> Bits * i & mask;
  });
}

Execute move(const Op& op, const Name& name, Type type) {
  const bool unpacks = op.to[1] >= 0, packs = op.count > 1 && !unpacks;
  if (!packs && !unpacks)
    return unary<Same>(
        Unsigned{}, name,
        is_float(type) ? type == Type::F32 ? Type::U32 : Type::U64 : without_sign(type));
  const int bits = (type == Type::U64   ? 64
                    : type == Type::U32 ? 32
                    : type == Type::U16 ? 16
                                        : 0) /
                   op.count;
  if (bits == 32) return packs ? pack<32> : unpack<32>;
  if (bits == 16) return packs ? pack<16> : unpack<16>;
  if (bits == 8) return packs ? pack<8> : unpack<8>;
  name.unknown();
}

template <class T>
void load(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t* address = warp.column(op.from[0]);
  for_each_lane(lanes, [&](int lane) {
    const std::byte* bytes =
        warp.access(op, lane, address[lane], sizeof(T) * static_cast<std::size_t>(op.count), false);
    for (int i = 0; i < op.count; ++i, bytes += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes, sizeof(T));
      warp.column_to(op.to[static_cast<std::size_t>(i)])[lane] = to_bits(value);
    }
  });
}

template <class T>
void store(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t* address = warp.column(op.from[0]);
  for_each_lane(lanes, [&](int lane) {
    std::byte* bytes =
        warp.access(op, lane, address[lane], sizeof(T) * static_cast<std::size_t>(op.count), true);
    for (int i = 0; i < op.count; ++i, bytes += sizeof(T)) {
      const T value = from_bits<T>(warp.column(op.from[static_cast<std::size_t>(i) + 1])[lane]);
      std::memcpy(bytes, &value, sizeof(T));
    }
  });
}

std::optional<Space> take_space(Name& name) {
  return name.take_one<Space>({{"global", Space::Global},
                               {"shared", Space::Shared},
                               {"local", Space::Local},
                               {"param", Space::Param}});
}

Execute load_or_store(Op& op, Name& name, bool stores) {
  Type type = without_sign(name.take_type());
  if (type == Type::F32) type = Type::U32;
  if (type == Type::F64) type = Type::U64;
  op.space = take_space(name).value_or(Space::Generic);
  op.count = name.take_one<int>({{"v2", 2}, {"v4", 4}}).value_or(1);
  name.take_any({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "volatile"});
  return among(Loaded{}, name, type, [&]<class T> { return stores ? store<T> : load<T>; });
}

template <Space To, bool Back>
void convert_address(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t* from = warp.column(op.from[0]);
  std::uint64_t* to = warp.column_to(op.to[0]);
  for_each_lane(lanes, [&](int lane) {
    if (Back && from[lane] >> 60 != window_of(To) >> 60)
      warp.fail(op, lane, "an address of another space");
    to[lane] = Back ? from[lane] - window_of(To) : from[lane] + window_of(To);
  });
}

Execute convert_addresses(Name& name) {
  const bool back = name.take("to");
  if (name.take_type() != Type::U64) name.unknown();
  switch (take_space(name).value_or(Space::Generic)) {
    case Space::Global:
      return back ? convert_address<Space::Global, true> : convert_address<Space::Global, false>;
    case Space::Shared:
      return back ? convert_address<Space::Shared, true> : convert_address<Space::Shared, false>;
    case Space::Local:
      return back ? convert_address<Space::Local, true> : convert_address<Space::Local, false>;
    case Space::Param:
      return back ? convert_address<Space::Param, true> : convert_address<Space::Param, false>;
    case Space::Generic:
      name.unknown();
  }
  name.unknown();
}

template <class To>
using ToFloat = decltype([](auto a) {
  if constexpr (Small<decltype(a)>)
    return static_cast<To>(widened(a));
  else
    return static_cast<To>(a);
});
template <class To>
using ToSmall = decltype([](auto a) { return narrowed<To>(static_cast<double>(a)); });
template <class To>
using ToInteger = decltype([](auto a) { return to_integer<To>(a); });
template <class To>
using Clamped = decltype([](auto a) { return clamped<To>(a); });
using ToWhole = decltype([](auto a) { return std::nearbyint(a); });
template <class To>
using ToPair = decltype([](float high, float low) {
  return std::uint32_t{narrowed<To>(high).bits} << 16 | narrowed<To>(low).bits;
});

template <class To, class From>
Execute conversion(const Name& name, bool clamps, bool to_whole, bool rounds) {
  constexpr bool from_float = std::is_floating_point_v<From>,
                 to_float = std::is_floating_point_v<To>;
  constexpr bool narrows = Small<To> || (to_float && std::is_integral_v<From>) ||
                           (to_float && from_float && sizeof(To) < sizeof(From));
  constexpr bool to_integer = from_float && std::is_integral_v<To>;
  constexpr bool same = std::is_same_v<From, To> && to_float;
  if (to_whole != (to_integer || (same && to_whole)) || (rounds && !narrows)) name.unknown();
  if ((narrows && !rounds) || (clamps && Small<To>)) name.unknown();
  if constexpr (Small<To> && from_float)
    return map<ToSmall<To>, To, From>;
  else if constexpr (Small<To> || (Small<From> && !to_float))
    name.unknown();
  else if constexpr (to_integer)
    return map<ToInteger<To>, To, From>;
  else if constexpr (to_float)
    return same && to_whole ? Execute{map<ToWhole, To, To>} : map<ToFloat<To>, To, From>;
  else
    return clamps ? map<Clamped<To>, To, From> : map<Same, To, From>;
}

Execute convert(Op& op, Name& name) {
  using All = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                    std::int16_t, std::int32_t, std::int64_t, F16, BF16, float, double>;
  const Type from = name.take_type(), to = name.take_type();
  const auto whole = name.take_one<int>(
      {{"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}});
  const auto rounding = name.take_one<int>(
      {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}});
  op.rounding = whole.value_or(rounding.value_or(FE_TONEAREST));
  const bool clamps = op.saturates;
  if (from == Type::F32 && to == Type::Pair && rounding && !clamps)
    return map<ToPair<F16>, std::uint32_t, float, float>;
  if (from == Type::F32 && to == Type::BPair && rounding && !clamps)
    return map<ToPair<BF16>, std::uint32_t, float, float>;
  return among(All{}, name, to, [&]<class To> {
    return among(All{}, name, from, [&]<class From> {
      return conversion<To, From>(name, clamps, whole.has_value(), rounding.has_value());
    });
  });
}

enum class Shuffle { Up, Down, Butterfly, Index };

template <Shuffle How>
void shuffle(const Op& op, Warp& warp, Lanes lanes) {
  std::array<std::uint64_t, warp_lanes> values{};
  std::copy_n(warp.column(op.from[0]), warp_lanes, values.begin());
  const std::uint64_t *by = warp.column(op.from[1]), *limits = warp.column(op.from[2]),
                      *members = warp.column(op.from[3]);
  Lanes inside = 0;
  for_each_lane(lanes, [&](int lane) {
    if ((static_cast<Lanes>(members[lane]) & ~lanes) != 0)
      warp.fail(op, lane, "not all lanes that it names come to it");
    const int clamp = limits[lane] & 31, segment = limits[lane] >> 8 & 31, b = by[lane] & 31;
    const int first = lane & segment, last = first | (clamp & ~segment);
    const int source = How == Shuffle::Up          ? lane - b
                       : How == Shuffle::Down      ? lane + b
                       : How == Shuffle::Butterfly ? lane ^ b
                                                   : first | (b & ~segment);
    const bool is_inside = How == Shuffle::Up ? source >= last : source <= last;
    const int chosen = is_inside ? source : lane;
    if ((lanes >> chosen & 1) == 0) warp.fail(op, lane, "reads a lane that does not come to it");
    inside |= Lanes{is_inside} << lane;
    warp.column_to(op.to[0])[lane] =
        static_cast<std::uint32_t>(values[static_cast<std::size_t>(chosen)]);
  });
  warp.set_predicate(op.to[1], inside, lanes);
}

void synchronise_warp(const Op& op, Warp& warp, Lanes lanes) {
  const std::uint64_t* members = warp.column(op.from[0]);
  for_each_lane(lanes,
                [&](int lane) { warp.synchronise(op, lanes, static_cast<Lanes>(members[lane])); });
}

void nothing(const Op&, Warp&, Lanes) {}
void trap(const Op& op, Warp& warp, Lanes lanes) {
  warp.fail(op, std::countr_zero(lanes), "the kernel traps");
}

Execute arithmetic(Op& op, Name& name, Type type, Fusing fusing) {
  if (is_float(type)) {
    op.rounding = name.take_one<int>({{"rn", FE_TONEAREST},
                                      {"rz", FE_TOWARDZERO},
                                      {"rm", FE_DOWNWARD},
                                      {"rp", FE_UPWARD}})
                      .value_or(FE_TONEAREST);
    if (name.base == "add") return binary<Add>(Floats{}, name, type);
    if (name.base == "sub") return binary<Subtract>(Floats{}, name, type);
    if (name.base == "mul") return binary<Multiply>(Floats{}, name, type);
    if (name.base == "div") return binary<Divide>(Floats{}, name, type);
    if (name.base == "rcp") return unary<Reciprocal>(Floats{}, name, type);
    if (name.base == "sqrt") return unary<SquareRoot>(Floats{}, name, type);
    if (name.base == "fma")
      return fusing == Fusing::Yes ? ternary<FusedMultiplyAdd>(Floats{}, name, type)
                                   : ternary<MultiplyAdd>(Floats{}, name, type);
    name.unknown();
  }
  const Type word = without_sign(type);
  if (name.base == "add") return binary<Add>(Unsigned{}, name, word);
  if (name.base == "sub") return binary<Subtract>(Unsigned{}, name, word);
  if (name.base == "div" || name.base == "rem")
    return among(Integers{}, name, type,
                 [&]<class T> { return name.base == "div" ? divide<T, false> : divide<T, true>; });
  using Narrow = Types<std::uint16_t, std::uint32_t, std::int16_t, std::int32_t>;
  const bool adds = name.base == "mad";
  if (!adds && name.base != "mul") name.unknown();
  if (name.take("lo"))
    return adds ? ternary<MultiplyAddWords>(Unsigned{}, name, word)
                : binary<MultiplyWords>(Unsigned{}, name, word);
  if (name.take("hi"))
    return adds ? ternary<HighAdd>(Integers{}, name, type) : binary<High>(Integers{}, name, type);
  if (!name.take("wide")) name.unknown();
  return among(Narrow{}, name, type, [&]<class T> {
    using To = typename Wide<T>::type;
    return adds ? map<WideMultiplyAdd, To, T, T, To> : map<WideMultiply, To, T, T>;
  });
}

Execute bitwise(const Name& name, Type type) {
  const Type word = without_sign(type);
  if (name.base == "and") return binary<And>(Unsigned{}, name, word);
  if (name.base == "or") return binary<Or>(Unsigned{}, name, word);
  if (name.base == "xor") return binary<Xor>(Unsigned{}, name, word);
  if (name.base == "not") return unary<Not>(Unsigned{}, name, word);
  using Words = Types<std::uint32_t, std::uint64_t>;
  if (name.base == "brev") return unary<ReverseBits>(Words{}, name, word);
  if (name.base == "shl" || name.base == "shr")
    return among(Integers{}, name, name.base == "shl" ? word : type, [&]<class T> {
      if constexpr (std::is_unsigned_v<T>)
        if (name.base == "shl") return Execute{map<ShiftLeft, T, T, std::uint32_t>};
      return Execute{map<ShiftRight, T, T, std::uint32_t>};
    });
  if (name.base == "popc" || name.base == "clz")
    return among(Words{}, name, word, [&]<class T> {
      return name.base == "clz" ? map<LeadingZeros, std::uint32_t, T>
                                : map<PopulationCount, std::uint32_t, T>;
    });
  if (name.base == "bfe")
    return among(Integers{}, name, type,
                 []<class T> { return map<ExtractField, T, T, std::uint32_t, std::uint32_t>; });
  if (name.base == "bfi")
    return among(Words{}, name, word,
                 []<class T> { return map<InsertField, T, T, T, std::uint32_t, std::uint32_t>; });
  name.unknown();
}

Execute logic_of_predicates(const Name& name) {
  if (name.base == "and") return on_predicates<And>;
  if (name.base == "or") return on_predicates<Or>;
  if (name.base == "xor") return on_predicates<Xor>;
  if (name.base == "not") return on_predicates<Not>;
  if (name.base == "mov") return on_predicates<Same>;
  name.unknown();
}

Execute shuffle_of(Name& name) {
  if (name.take("up")) return shuffle<Shuffle::Up>;
  if (name.take("down")) return shuffle<Shuffle::Down>;
  if (name.take("bfly")) return shuffle<Shuffle::Butterfly>;
  if (name.take("idx")) return shuffle<Shuffle::Index>;
  name.unknown();
}

Execute funnel_of(Name& name) {
  const bool left = name.take("l"), wraps = name.take("wrap");
  if (left == name.take("r") || wraps == name.take("clamp")) name.unknown();
  using W = std::uint32_t;
  if (left)
    return wraps ? map<Funnel<true, true>, W, W, W, W> : map<Funnel<true, false>, W, W, W, W>;
  return wraps ? map<Funnel<false, true>, W, W, W, W> : map<Funnel<false, false>, W, W, W, W>;
}

bool is_one_of(std::string_view base, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, base) != names.end();
}

Execute execute_of(Op& op, Name& name, Fusing fusing) {
  using W = std::uint32_t;
  const std::string_view base = name.base;
  if (base == "ld" || base == "st") return load_or_store(op, name, base == "st");
  if (base == "cvta") return convert_addresses(name);
  if (base == "bar" && name.take("warp") && name.take("sync")) return synchronise_warp;
  if (base == "membar" || base == "fence")
    return name.take_any({"cta", "gl", "gpu", "sys", "sc", "acq_rel"}) ? nothing : nullptr;
  if (base == "trap") return trap;
  if (name.take("pred")) return logic_of_predicates(name);
  op.flushes = name.take("ftz");
  op.saturates = name.take("sat");
  if (base == "cvt") return convert(op, name);

  const Type type = name.take_type(), word = without_sign(type);
  if ((op.flushes && type != Type::F32) || (op.saturates && !is_float(type))) name.unknown();
  if (base == "setp") {
    op.number = static_cast<int>(
        name.take_one<Combine>({{"and", Combine::And}, {"or", Combine::Or}, {"xor", Combine::Xor}})
            .value_or(Combine::None));
    return set_predicate(name, type);
  }
  if (base == "selp") return among(Numbers{}, name, type, []<class> { return select; });
  if (base == "mov") return move(op, name, type);
  if (base == "min") return binary<Minimum>(Numbers{}, name, type);
  if (base == "max") return binary<Maximum>(Numbers{}, name, type);
  if (base == "neg")
    return is_float(type) ? unary<Negate>(Floats{}, name, type)
                          : unary<NegateWord>(Unsigned{}, name, word);
  if (base == "abs")
    return is_float(type)
               ? unary<Absolute>(Floats{}, name, type)
               : unary<AbsoluteWord>(Types<std::int16_t, std::int32_t, std::int64_t>{}, name, type);
  if ((base == "add" || base == "addc") && !is_float(type) && (base == "addc" || name.take("cc")))
    return carrying<false>(name, base == "addc", word);
  if ((base == "sub" || base == "subc") && !is_float(type) && (base == "subc" || name.take("cc")))
    return carrying<true>(name, base == "subc", word);
  if (is_one_of(base,
                {"and", "or", "xor", "not", "shl", "shr", "brev", "popc", "clz", "bfe", "bfi"}))
    return bitwise(name, type);
  if (type == Type::U32) {
    if (base == "prmt") return map<Permute, W, W, W, W>;
    if (base == "lop3") return map<Logic, W, W, W, W, W>;
    if (base == "shf") return funnel_of(name);
    if (base == "shfl" && name.take("sync")) return shuffle_of(name);
  }
  return arithmetic(op, name, type, fusing);
}

}  // namespace

void set_instruction(Op& op, std::string_view whole, Fusing fusing) {
  Name name(whole);
  if (name.base == "bra") {
    op.flow = Flow::Branch;
    name.take("uni");
  } else if (name.base == "ret" || name.base == "exit") {
    op.flow = Flow::Exit;
  } else if (whole == "bar.sync" || whole == "barrier.sync" || whole == "barrier.sync.aligned") {
    return void(op.flow = Flow::Barrier);
  } else {
    op.execute = execute_of(op, name, fusing);
    if (!op.execute) name.unknown();
  }
  name.check_all_taken();
}

}  // namespace normbench::ptx
