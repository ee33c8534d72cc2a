// Highway compiles each file that uses this header several times, once for each instruction set. So
// this guard lets the header in once for each instruction set, not once for each file.
#if defined(NORMBENCH_BYTE_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMBENCH_BYTE_TABLE_INL_H_
#undef NORMBENCH_BYTE_TABLE_INL_H_
#else
#define NORMBENCH_BYTE_TABLE_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace normbench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// True for instruction sets that pick bytes out of two vectors at once (AVX-512 with VBMI).
constexpr bool kHasByteTables = HWY_TARGET <= HWY_AVX3_DL;

/// A table with a 16-bit value for each of the 256 values of a byte, held in eight vector
/// registers. It is a template, so that instruction sets without byte tables do not compile it.
template <class Bytes>
class ByteTable {
 public:
  using V = hn::Vec<Bytes>;

  HWY_INLINE explicit ByteTable(const std::array<std::uint16_t, 256>& entries) {
    const auto* halves = reinterpret_cast<const std::uint8_t*>(entries.data());
    for (int part = 0; part < 4; ++part)
      LoadInterleaved2(Bytes(), halves + 128 * part, low_[part], high_[part]);
  }

  /// Looks up 64 bytes. `first` gets the values of bytes 0 to 31, `second` the values of bytes 32
  /// to 63.
  template <class V16>
  HWY_INLINE void look_up(const std::uint8_t* in, V16& first, V16& second) const {
    // The interleave at the end works within blocks of 16 bytes. So groups of eight bytes are
    // reordered first, which puts the results into the order of `in`.
    alignas(64) static constexpr std::uint64_t kEights[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const hn::Repartition<std::uint64_t, Bytes> eights;
    const auto order = SetTableIndices(eights, kEights);
    const V bytes = BitCast(Bytes(), TableLookupLanes(BitCast(eights, LoadU(Bytes(), in)), order));
    const V low = entries_of(bytes, low_), high = entries_of(bytes, high_);
    const hn::Repartition<std::uint16_t, Bytes> d;
    first = BitCast(d, InterleaveLower(Bytes(), low, high));
    second = BitCast(d, InterleaveUpper(Bytes(), low, high));
  }

 private:
  static HWY_INLINE V entries_of(V bytes, const V (&table)[4]) {
    const hn::RebindToSigned<Bytes> i;
    const V below{_mm512_permutex2var_epi8(table[0].raw, bytes.raw, table[1].raw)};
    const V above{_mm512_permutex2var_epi8(table[2].raw, bytes.raw, table[3].raw)};
    return BitCast(Bytes(),
                   IfNegativeThenElse(BitCast(i, bytes), BitCast(i, above), BitCast(i, below)));
  }

  // low_[k] and high_[k] have the low and the high bytes of entries 64 * k to 64 * k + 63.
  V low_[4], high_[4];
};

}  // namespace normbench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
