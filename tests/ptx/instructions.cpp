/// Implements the instructions of the chapter "Instruction Set" of the PTX ISA manual.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <typeindex>

#include "ptx/kernel.h"
#include "ptx/values.h"
#include "ptx/warp.h"

namespace normbench::ptx {
namespace {

template <class... Ts>
struct Types {};
using Words = Types<u16, u32, u64>;
using Signed = Types<s16, s32, s64>;
using Integers = Types<u16, u32, u64, s16, s32, s64>;
using Floats = Types<float, double>;
using Numbers = Types<u16, u32, u64, s16, s32, s64, float, double>;
using Any = Types<u8, u16, u32, u64, s8, s16, s32, s64, F16, BF16, float, double>;

/// The type of a register that holds two values of T.
template <class T>
struct Pair {};

/// A C++ type that represents a PTX type. Types of bits, like .b32, are represented by unsigned
/// integers.
using Type = std::type_index;

/// Returns make<T>() for the type T of Ts that equals `type`, or null if there is none.
template <class... Ts, class Make>
Execute among(Types<Ts...>, Type type, Make make) {
  Execute found = nullptr;
  ((type == typeid(Ts) ? void(found = make.template operator()<Ts>()) : void()), ...);
  return found;
}

template <class T>
T operand(const Op& op, u64 bits) {
  const T x = from_bits<T>(bits);
  return op.flushes ? flushed(x) : x;
}

template <class T>
u64 result(const Op& op, T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return to_bits(op.saturates ? T{0} : canonical_nan<T>());
    if (op.flushes) x = flushed(x);
    if (op.saturates) x = x > T{0} ? std::min(x, T{1}) : T{0};
  }
  return to_bits(x);
}

/// Computes F of the operands, which have the types From, in each lane. The result has the type To.
template <class F, class To, class... From>
void map(const Op& op, Warp& warp, Lanes lanes) {
  u64* to = warp.column_to(op.to[0]);
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    const std::array columns{warp.column(op.from[At])...};
    for_each_lane(lanes, [&](int lane) {
      to[lane] = result(op, static_cast<To>(F{}(operand<From>(op, columns[At][lane])...)));
    });
  }
  (std::index_sequence_for<From...>{});
}

/// Returns the function that computes F of one, two or three operands of `type`, or null if List
/// does not have `type`.
template <class F, class List>
Execute on(Type type) {
  return among(List{}, type, []<class T>() -> Execute {
    if constexpr (std::is_invocable_v<F, T>)
      return map<F, T, T>;
    else if constexpr (std::is_invocable_v<F, T, T>)
      return map<F, T, T, T>;
    else
      return map<F, T, T, T, T>;
  });
}
/// Returns the function that computes F of unsigned integers of the size of `type`. The result has
/// the same bits for signed integers.
template <class F>
Execute bits(Type type) {
  return among(Integers{}, type, []<class T> {
    using Word = std::make_unsigned_t<T>;
    return on<F, Types<Word>>(typeid(Word));
  });
}
template <class F>
Execute shift(Type type) {
  return among(Integers{}, type, []<class T> { return map<F, T, T, u32>; });
}
template <class F, class... From>
Execute words(Type type) {
  return type == typeid(u32) ? map<F, u32, From...> : nullptr;
}
template <auto First, auto Second>
Execute either(Type type) {
  const Execute found = First(type);
  return found ? found : Second(type);
}

template <class T>
constexpr int bits_of = 8 * static_cast<int>(sizeof(T));

// clang-format off
using Add = decltype([](auto a, auto b) { return a + b; });
using Subtract = decltype([](auto a, auto b) { return a - b; });
using Multiply = decltype([](auto a, auto b) { return a * b; });
using MultiplyWords = decltype([](auto a, auto b) { return u64{a} * b; });
using MultiplyAddWords = decltype([](auto a, auto b, auto c) { return u64{a} * b + c; });
using Divide = decltype([](auto a, auto b) { return a / b; });
using FusedMultiplyAdd = decltype([](auto a, auto b, auto c) { return std::fma(a, b, c); });
using MultiplyAdd = decltype([](auto a, auto b, auto c) { return a * b + c; });
using Negate = decltype([](auto a) { return -a; });
using NegateWord = decltype([](auto a) { return 0 - u64{a}; });
using Absolute = decltype([](auto a) { return std::abs(a); });
using AbsoluteWord = decltype([](auto a) { return a < 0 ? 0 - static_cast<u64>(a) : static_cast<u64>(a); });
using SquareRoot = decltype([](auto a) { return std::sqrt(a); });
using Reciprocal = decltype([](auto a) { return 1 / a; });
using And = decltype([](auto a, auto b) { return a & b; });
using Or = decltype([](auto a, auto b) { return a | b; });
using Xor = decltype([](auto a, auto b) { return a ^ b; });
using Not = decltype([](auto a) { return ~a; });
using Same = decltype([](auto a) { return a; });
using ToGeneric = decltype([](u64 a) { return a + shared_window; });
using ToShared = decltype([](u64 a) { return a - shared_window; });
// clang-format on

/// Returns the smaller of two numbers if `least` is true, otherwise the larger. If one number is
/// NaN, returns the other. +0 counts as greater than -0.
template <bool least>
struct Extreme {
  auto operator()(auto a, auto b) const {
    if constexpr (std::is_floating_point_v<decltype(a)>) {
      if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
      if (a == b) return std::signbit(a) == least ? a : b;
    }
    return (a < b) == least ? a : b;
  }
};
using High = decltype([](auto a, auto b) {
  __extension__ using Wide =
      std::conditional_t<std::is_signed_v<decltype(a)>, __int128, unsigned __int128>;
  return static_cast<u64>(static_cast<Wide>(a) * b >> bits_of<decltype(a)>);
});
using WideMultiply = decltype([](auto a, auto b) {
  return static_cast<u64>(static_cast<s64>(a)) * static_cast<u64>(static_cast<s64>(b));
});
using ShiftLeft = decltype([](auto a, u32 n) {
  return n < u32{bits_of<decltype(a)>} ? static_cast<u64>(a) << n : 0;
});
using ShiftRight = decltype([](auto a, u32 n) {
  constexpr u32 most = bits_of<decltype(a)> - 1;
  if (n > most && std::is_unsigned_v<decltype(a)>) return decltype(a){0};
  return static_cast<decltype(a)>(a >> std::min(n, most));
});
using ExtractField = decltype([](auto a, u32 first, u32 count) {
  const int most = bits_of<decltype(a)> - 1, from = first & 0xFF, length = count & 0xFF;
  const auto bit = [&](int i) { return static_cast<u64>(a) >> i & 1; };
  const u64 sign =
      std::is_signed_v<decltype(a)> && length > 0 ? bit(std::min(from + length - 1, most)) : 0;
  u64 field = 0;
  for (int i = 0; i <= most; ++i)
    field |= (i < length && from + i <= most ? bit(from + i) : sign) << i;
  return field;
});
using InsertField = decltype([](auto a, auto b, u32 first, u32 count) {
  const u32 from = first & 0xFF, length = count & 0xFF;
  const u64 ones = length < 64 ? (u64{1} << length) - 1 : ~u64{0};
  if (from >= 64) return u64{b};
  return (u64{a} << from & ones << from) | (b & ~(ones << from));
});
using Permute = decltype([](u32 a, u32 b, u32 choice) {
  const u64 bytes = u64{b} << 32 | a;
  u32 chosen = 0;
  for (int i = 0; i < 4; ++i, choice >>= 4) {
    const auto byte = static_cast<u8>(bytes >> 8 * (choice & 7));
    chosen |= u32{(choice & 8) == 0 ? byte : byte & 0x80 ? 0xFFu : 0} << 8 * i;
  }
  return chosen;
});
using Logic = decltype([](u32 a, u32 b, u32 c, u32 table) {
  u32 value = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) value |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return value;
});
using FunnelLeft = decltype([](u32 low, u32 high, u32 count) {
  return static_cast<u32>((u64{high} << 32 | low) << (count & 31) >> 32);
});

/// Computes the quotient, or the remainder if `rest` is true. Throws Fault on division by zero,
/// which a device would not report.
template <class T, bool rest>
void divide(const Op& op, Warp& warp, Lanes lanes) {
  for_each_lane(lanes, [&](int lane) {
    const T x = from_bits<T>(warp.in(op, 0, lane)), y = from_bits<T>(warp.in(op, 1, lane));
    if (y == 0) warp.fail(op, lane, "division by zero");
    const bool negates = std::is_signed_v<T> && y == static_cast<T>(-1);  // x / y may overflow
    const u64 quotient = negates ? 0 - static_cast<u64>(x) : static_cast<u64>(x / y);
    warp.out(op, 0, lane) = rest ? static_cast<u64>(x) - quotient * y : quotient;
  });
}
template <bool rest>
Execute division(Type type) {
  return among(Integers{}, type, []<class T> { return divide<T, rest>; });
}

template <class F>
Execute predicates(Type type) {
  if (type != typeid(bool)) return nullptr;
  return [](const Op& op, Warp& warp, Lanes lanes) {
    if constexpr (std::is_invocable_v<F, Lanes>)
      warp.set_predicate(op.to[0], F{}(warp.predicate(op.from[0])), lanes);
    else
      warp.set_predicate(op.to[0], F{}(warp.predicate(op.from[0]), warp.predicate(op.from[1])),
                         lanes);
  };
}

// Each of the four possible relations of two numbers has one bit. A comparison has the bits of the
// relations for which it is true. For example, "le" is Less | Equal.
enum Relation : int { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
enum Combination : int { AndPredicate = 16, OrPredicate = 32, XorPredicate = 64 };

template <class T>
void compare(const Op& op, Warp& warp, Lanes lanes) {
  Lanes yes = 0;
  for_each_lane(lanes, [&](int lane) {
    const T x = operand<T>(op, warp.in(op, 0, lane)), y = operand<T>(op, warp.in(op, 1, lane));
    const int relation = x < y ? Less : x > y ? Greater : x == y ? Equal : Unordered;
    yes |= Lanes{(op.number & relation) != 0} << lane;
  });
  const Lanes c = op.number < AndPredicate ? 0 : warp.predicate(op.from[2]);
  const auto combined = [&](Lanes p) {
    return op.number & AndPredicate ? p & c : op.number & OrPredicate ? p | c : p ^ c;
  };
  warp.set_predicate(op.to[0], combined(yes), lanes);
  warp.set_predicate(op.to[1], combined(~yes), lanes);
}

void select(const Op& op, Warp& warp, Lanes lanes) {
  const Lanes first = warp.predicate(op.from[2]);
  for_each_lane(lanes, [&](int lane) {
    warp.out(op, 0, lane) = warp.in(op, first >> lane & 1 ? 0 : 1, lane);
  });
}

/// Executes mov between a register of T and a vector of its parts, in either direction.
template <class T>
void split(const Op& op, Warp& warp, Lanes lanes) {
  const bool packs = op.to[1] < 0;
  const int part_bits = bits_of<T> / op.count;
  const u64 mask = (u64{1} << part_bits) - 1;
  for_each_lane(lanes, [&](int lane) {
    u64 whole = packs ? 0 : warp.in(op, 0, lane);
    for (int i = 0; i < op.count; ++i)
      if (packs)
        whole |= (warp.in(op, i, lane) & mask) << i * part_bits;
      else
        warp.out(op, i, lane) = whole >> i * part_bits & mask;
    if (packs) warp.out(op, 0, lane) = whole;
  });
}

template <class T>
void access(const Op& op, Warp& warp, Lanes lanes) {
  for_each_lane(lanes, [&](int lane) {
    std::byte* bytes =
        warp.access(op, lane, warp.in(op, 0, lane), sizeof(T) * static_cast<std::size_t>(op.count));
    for (int i = 0; i < op.count; ++i, bytes += sizeof(T)) {
      T value = op.stores ? from_bits<T>(warp.in(op, i + 1, lane)) : T{};
      op.stores ? std::memcpy(bytes, &value, sizeof(T)) : std::memcpy(&value, bytes, sizeof(T));
      if (!op.stores) warp.out(op, i, lane) = to_bits(value);
    }
  });
}

/// Converts a value to To. If `clamps` is true, limits the value to the range of To. If `to_whole`
/// is true, rounds it to a whole number. Uses the rounding mode that fesetround() has set.
template <class To, bool clamps, bool to_whole>
struct Convert {
  auto operator()(auto a) const {
    if constexpr (Small<decltype(a)>)
      return static_cast<To>(widened(a));
    else if constexpr (Small<To>)
      return narrowed<To>(a);
    else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<decltype(a)>)
      return to_integer<To>(a);
    else if constexpr (to_whole)
      return std::nearbyint(a);
    else if constexpr (clamps)
      return clamped<To>(a);
    else
      return static_cast<To>(a);
  }
};
template <class To>
struct ToPair {
  auto operator()(float high, float low) const {
    return u32{narrowed<To>(high).bits} << 16 | narrowed<To>(low).bits;
  }
};

/// Returns the function that executes a conversion. Returns null in three cases: PTX does not have
/// the conversion, the instruction names a rounding that PTX forbids for it, or it names no
/// rounding although PTX requires one.
template <class To, class From>
Execute conversion(bool clamps, bool whole, bool rounds) {
  constexpr bool from_float = std::is_floating_point_v<From>;
  constexpr bool to_float = std::is_floating_point_v<To>;
  constexpr bool same = to_float && std::is_same_v<From, To>;
  constexpr bool to_integer = from_float && std::is_integral_v<To>;
  constexpr bool narrows = Small<To> || (to_float && std::is_integral_v<From>) ||
                           (to_float && from_float && sizeof(To) < sizeof(From));
  constexpr bool exists = Small<To> ? from_float : !Small<From> || to_float;
  if (rounds != narrows || (whole != to_integer && !same)) return nullptr;
  if constexpr (!exists)
    return nullptr;
  else if constexpr (same)
    return whole ? map<Convert<To, false, true>, To, From> : map<Same, To, From>;
  else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
    return clamps ? map<Convert<To, true, false>, To, From> : map<Same, To, From>;
  else
    return clamps && Small<To> ? nullptr : map<Convert<To, false, false>, To, From>;
}

enum class Shuffle { Up, Down, Butterfly, Index };

template <Shuffle how>
void shuffle(const Op& op, Warp& warp, Lanes lanes) {
  std::array<u64, warp_lanes> values{};
  std::copy_n(warp.column(op.from[0]), warp_lanes, values.begin());
  Lanes inside = 0;
  for_each_lane(lanes, [&](int lane) {
    const u64 limits = warp.in(op, 2, lane), members = warp.in(op, 3, lane);
    const int clamp = limits & 31, segment = limits >> 8 & 31;
    const int b = warp.in(op, 1, lane) & 31;
    const int first = lane & segment, last = first | (clamp & ~segment);
    const int source = how == Shuffle::Up          ? lane - b
                       : how == Shuffle::Down      ? lane + b
                       : how == Shuffle::Butterfly ? lane ^ b
                                                   : first | (b & ~segment);
    const bool is_inside = how == Shuffle::Up ? source >= last : source <= last;
    const int chosen = is_inside ? source : lane;
    if ((static_cast<Lanes>(members) & ~lanes) != 0 || (lanes >> chosen & 1) == 0)
      warp.fail(op, lane, "not all lanes that it names come to it");
    inside |= Lanes{is_inside} << lane;
    warp.out(op, 0, lane) = values[static_cast<std::size_t>(chosen)];
  });
  warp.set_predicate(op.to[1], inside, lanes);
}

void synchronise_warp(const Op& op, Warp& warp, Lanes lanes) {
  warp.synchronise(op, lanes, static_cast<Lanes>(*warp.column(op.from[0])));
}
void trap(const Op& op, Warp& warp, Lanes lanes) {
  warp.fail(op, std::countr_zero(lanes), "the kernel traps");
}

template <auto execute>
Execute always(Type) {
  return execute;
}
template <class T>
using WideOf = std::conditional_t<sizeof(T) == 2, u32, u64>;
Execute wide_multiply(Type type) {
  return among(Types<u16, u32, s16, s32>{}, type,
               []<class T> { return map<WideMultiply, WideOf<T>, T, T>; });
}
Execute extract_field(Type type) {
  return among(Integers{}, type, []<class T> { return map<ExtractField, T, T, u32, u32>; });
}
Execute insert_field(Type type) {
  return among(Types<u32, u64>{}, type,
               []<class T> { return map<InsertField, T, T, T, u32, u32>; });
}
/// Maps the name of an instruction, without type, rounding, .ftz and .sat, to a function. The
/// function returns the Execute of the instruction for a type, or null if the instruction does not
/// exist for this type.
const std::map<std::string_view, Execute (*)(Type)> plain_instructions{
    {"add", either<on<Add, Floats>, bits<Add>>},
    {"sub", either<on<Subtract, Floats>, bits<Subtract>>},
    {"mul", on<Multiply, Floats>},
    {"mul.lo", bits<MultiplyWords>},
    {"mul.hi", on<High, Integers>},
    {"mul.wide", wide_multiply},
    {"mad.lo", bits<MultiplyAddWords>},
    {"fma", on<FusedMultiplyAdd, Floats>},
    {"fma unfused", on<MultiplyAdd, Floats>},
    {"div", either<on<Divide, Floats>, division<false>>},
    {"rem", division<true>},
    {"rcp", on<Reciprocal, Floats>},
    {"sqrt", on<SquareRoot, Floats>},
    {"neg", either<on<Negate, Floats>, bits<NegateWord>>},
    {"abs", either<on<Absolute, Floats>, on<AbsoluteWord, Signed>>},
    {"min", on<Extreme<true>, Numbers>},
    {"max", on<Extreme<false>, Numbers>},
    {"and", either<bits<And>, predicates<And>>},
    {"or", either<bits<Or>, predicates<Or>>},
    {"xor", either<bits<Xor>, predicates<Xor>>},
    {"not", either<bits<Not>, predicates<Not>>},
    {"mov", either<on<Same, Numbers>, predicates<Same>>},
    {"cvta.global", on<Same, Types<u64>>},
    {"cvta.to.global", on<Same, Types<u64>>},
    {"cvta.shared", on<ToGeneric, Types<u64>>},
    {"cvta.to.shared", on<ToShared, Types<u64>>},
    {"selp", [](Type type) { return among(Numbers{}, type, []<class> { return select; }); }},
    {"shl", shift<ShiftLeft>},
    {"shr", shift<ShiftRight>},
    {"shf.l.wrap", words<FunnelLeft, u32, u32, u32>},
    {"bfe", extract_field},
    {"bfi", insert_field},
    {"prmt", words<Permute, u32, u32, u32>},
    {"lop3", words<Logic, u32, u32, u32, u32>},
    {"shfl.sync.up", always<shuffle<Shuffle::Up>>},
    {"shfl.sync.down", always<shuffle<Shuffle::Down>>},
    {"shfl.sync.bfly", always<shuffle<Shuffle::Butterfly>>},
    {"shfl.sync.idx", always<shuffle<Shuffle::Index>>},
    {"bar.warp.sync", always<synchronise_warp>},
    {"trap", always<trap>}};

using Choices = std::map<std::string_view, int>;

/// The parts of an instruction's name, which are separated by dots. The caller removes each part
/// that it knows. A part that remains at the end is an error.
class Name {
 public:
  explicit Name(std::string_view whole) {
    for (std::size_t begin = 0; begin <= whole.size();) {
      const std::size_t end = std::min(whole.find('.', begin), whole.size());
      parts_.push_back(whole.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  bool take(std::string_view part) { return std::erase(parts_, part) > 0; }
  /// Removes the first part of `choices` that the name has, and returns its value. Returns
  /// `otherwise` if the name has none of the parts.
  int take_one(const Choices& choices, int otherwise) {
    for (const auto& [part, value] : choices)
      if (take(part)) return value;
    return otherwise;
  }
  /// Removes the type at the end of the name and returns it. Returns void if the name does not end
  /// with a type.
  Type take_type() {
    // clang-format off
    static const std::map<std::string_view, Type> types{
        {"u8", typeid(u8)}, {"u16", typeid(u16)}, {"u32", typeid(u32)}, {"u64", typeid(u64)},
        {"b8", typeid(u8)}, {"b16", typeid(u16)}, {"b32", typeid(u32)}, {"b64", typeid(u64)},
        {"s8", typeid(s8)}, {"s16", typeid(s16)}, {"s32", typeid(s32)}, {"s64", typeid(s64)},
        {"f16", typeid(F16)}, {"bf16", typeid(BF16)}, {"f32", typeid(float)}, {"f64", typeid(double)},
        {"f16x2", typeid(Pair<F16>)}, {"bf16x2", typeid(Pair<BF16>)}, {"pred", typeid(bool)}};
    // clang-format on
    const auto found = types.find(parts_.back());
    if (found == types.end()) return typeid(void);
    parts_.pop_back();
    return found->second;
  }
  std::string_view first() const { return parts_.front(); }
  bool is_empty() const { return parts_.empty(); }
  std::string take_rest() { return fmt::format("{}", fmt::join(std::exchange(parts_, {}), ".")); }

 private:
  std::vector<std::string_view> parts_;
};

constexpr int none = -1;
const Choices roundings{
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
const Choices whole_roundings{
    {"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}};
const Choices comparisons{{"eq", Equal},        {"ne", Less | Greater}, {"lt", Less},
                          {"le", Less | Equal}, {"gt", Greater},        {"ge", Greater | Equal}};
const Choices unsigned_comparisons{
    {"lo", Less}, {"ls", Less | Equal}, {"hi", Greater}, {"hs", Greater | Equal}};
const Choices float_comparisons{
    {"equ", Equal | Unordered},      {"neu", Less | Greater | Unordered},
    {"ltu", Less | Unordered},       {"leu", Less | Equal | Unordered},
    {"gtu", Greater | Unordered},    {"geu", Greater | Equal | Unordered},
    {"num", Less | Equal | Greater}, {"nan", Unordered}};
const Choices combinations{{"and", AndPredicate}, {"or", OrPredicate}, {"xor", XorPredicate}};
const Choices vectors{{"v2", 2}, {"v4", 4}};
const Choices spaces{
    {"global", int(Space::Global)}, {"shared", int(Space::Shared)}, {"param", int(Space::Param)}};

bool is_float(Type type) { return type == typeid(float) || type == typeid(double); }

Execute find_access(Op& op, Name& name, Type type) {
  op.stores = op.gives_nothing = name.take("st");
  name.take("ld");
  op.space = static_cast<Space>(name.take_one(spaces, int(Space::Generic)));
  op.count = name.take_one(vectors, 1);
  for (const char* hint : {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "volatile"})
    name.take(hint);
  return among(Any{}, type, []<class T> { return access<T>; });
}

Execute find_comparison(Op& op, Name& name, Type type) {
  name.take("setp");
  op.number = name.take_one(comparisons, 0);
  if (op.number == 0)
    op.number = name.take_one(is_float(type) ? float_comparisons : unsigned_comparisons, 0);
  if (op.number == 0) return nullptr;
  op.number |= name.take_one(combinations, 0);
  return among(Numbers{}, type, []<class T> { return compare<T>; });
}

Execute find_conversion(Op& op, Name& name, Type from) {
  const Type to = name.take_type();
  name.take("cvt");
  const int whole = name.take_one(whole_roundings, none);
  const int rounding = name.take_one(roundings, none);
  op.rounding = std::max({whole, rounding, FE_TONEAREST});
  if (from == typeid(float) && rounding != none && !op.saturates) {
    if (to == typeid(Pair<F16>)) return map<ToPair<F16>, u32, float, float>;
    if (to == typeid(Pair<BF16>)) return map<ToPair<BF16>, u32, float, float>;
  }
  return among(Any{}, to, [&]<class To> {
    return among(Any{}, from, [&]<class From> {
      return conversion<To, From>(op.saturates, whole != none, rounding != none);
    });
  });
}

Execute find_plain(Op& op, Name& name, Type type, Fusing fusing) {
  const int rounding = name.take_one(roundings, none);
  if (!is_float(type) && (rounding != none || op.saturates || op.flushes)) return nullptr;
  op.rounding = std::max(rounding, FE_TONEAREST);
  const std::string rest = name.take_rest();
  op.gives_nothing = rest == "bar.warp.sync";
  op.meets = rest.find(".sync") != rest.npos;
  const auto found = plain_instructions.find(
      rest == "fma" && fusing == Fusing::No ? std::string_view("fma unfused") : rest);
  if (found == plain_instructions.end()) return nullptr;
  if (rest == "mov" && op.count > 1) return among(Words{}, type, []<class T> { return split<T>; });
  return found->second(type);
}

Execute find_execute(Op& op, Name& name, Fusing fusing) {
  const std::string_view base = name.first();
  const Type type = name.take_type();
  if (base == "ld" || base == "st") return find_access(op, name, type);
  op.flushes = name.take("ftz");
  op.saturates = name.take("sat");
  if (base == "setp" && !op.saturates) return find_comparison(op, name, type);
  if (base == "cvt") return find_conversion(op, name, type);
  return find_plain(op, name, type, fusing);
}

}  // namespace

void set_instruction(Op& op, std::string_view whole, Fusing fusing) {
  Name name(whole);
  if (whole == "bra" || whole == "bra.uni")
    op.flow = Flow::Branch;
  else if (whole == "ret" || whole == "exit")
    op.flow = Flow::Exit;
  else if (whole == "bar.sync" || whole == "barrier.sync")
    op.flow = Flow::Barrier, op.meets = true;
  else if (op.execute = find_execute(op, name, fusing); !op.execute || !name.is_empty())
    throw Fault(fmt::format("unknown instruction {}", whole));
}

}  // namespace normbench::ptx
