/// Stores the slices of a trace file in little memory.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/model.h"

namespace normbench {

/// Stores the values that many slices have in common, such as names, categories and sizes. Each
/// distinct set of values is stored once, as a Facts with its More. The number of a set is its
/// index in `facts_`.
class SliceTable {
 public:
  SliceTable();
  SliceTable(const SliceTable&) = delete;
  SliceTable& operator=(const SliceTable&) = delete;

  std::string_view name(std::string_view text) { return names_(text); }

  /// Returns the number of the set with the values of `slice` and `category`, and adds the set if
  /// it is new. A caller that stores times or ids elsewhere must first reset them in `slice`, so
  /// that many slices share a set.
  std::uint32_t number_of(const TraceSlice& slice, std::uint16_t category);

  /// Copies the values of set `number` to `slice`, including the kind of the category. Sets
  /// `end_ns` to `start_ns` plus the duration in the set. This duration is 0 if the caller of
  /// number_of() stores the duration elsewhere.
  void fill(std::uint32_t number, TraceSlice& slice) const;
  std::uint16_t category_of(std::uint32_t number) const { return facts_[number].category; }
  std::uint32_t depth_of(std::uint32_t number) const { return more_of(number).depth; }
  bool is_async(std::uint32_t number) const { return more_of(number).async; }
  std::uint64_t repeats_of(std::uint32_t number) const { return more_of(number).repeats; }
  /// Returns the number of a set with the values of set `number`, but with these `repeats`. Adds
  /// the set if it is new. A slice with `repeats` stands for itself and for as many equal slices
  /// directly after it.
  std::uint32_t repeated(std::uint32_t number, std::uint64_t repeats);

  /// Sets the kind of all slices of a category, including those that were added before.
  void set_kind(std::uint16_t category, TraceKind kind);

 private:
  /// Members of a slice that few slices set, or that have few different values.
  struct More {
    std::string_view shapes, label;
    std::int64_t bytes = 0;
    std::int64_t long_ns = 0;  // a duration that does not fit Packed::duration_ns
    std::uint64_t external_id = 0;
    std::int64_t correlation = -1;
    std::uint64_t repeats = 0;
    std::int32_t details = -1;
    std::uint32_t depth = 0;
    bool async = false;

    bool operator==(const More&) const = default;
  };
  struct Facts {
    std::string_view name;
    std::uint32_t more = 0;
    std::uint16_t category = 0;

    bool operator==(const Facts&) const = default;
  };
  /// The hash function of an Index, which is a set of indices into a deque, `items`. An Index
  /// hashes and compares the items at these indices, not the indices.
  template <class T>
  struct Hash {
    const std::deque<T>* items;
    std::size_t operator()(std::uint32_t number) const { return hash_of((*items)[number]); }
  };
  template <class T>
  struct Equal {
    const std::deque<T>* items;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return (*items)[a] == (*items)[b]; }
  };
  template <class T>
  using Index = std::unordered_set<std::uint32_t, Hash<T>, Equal<T>>;

  const More& more_of(std::uint32_t number) const { return more_[facts_[number].more]; }

  static std::size_t hash_of(const More& more);
  static std::size_t hash_of(const Facts& facts);
  template <class T>
  static std::uint32_t number_in(std::deque<T>& items, Index<T>& index, const T& item);

  TraceNames names_;
  std::deque<More> more_;
  std::deque<Facts> facts_;
  Index<More> index_of_more_;
  Index<Facts> index_of_facts_;
  std::vector<TraceKind> kinds_;  // the kind of each category
};

/// A list of slices that needs 24 bytes for a slice. A run of equal slices needs no more memory
/// than one slice. Elements are returned by value.
class PackedSlices {
 public:
  explicit PackedSlices(std::shared_ptr<SliceTable> table) : table_(std::move(table)) {}

  void push_back(const TraceSlice& slice, std::uint16_t category);
  /// Must be called once, after the last push_back() and before the functions below.
  void finish();

  bool empty() const { return chunks_.empty(); }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TraceSlice;
    using difference_type = std::ptrdiff_t;
    using pointer = const TraceSlice*;
    using reference = TraceSlice;

    Iterator() = default;
    Iterator(const PackedSlices* slices, std::size_t at) : slices_(slices), at_(at) {}
    TraceSlice operator*() const { return slices_->unpack(slices_->at(at_)); }
    Iterator& operator++() {
      if (repeated_++ == slices_->repeats(slices_->at(at_))) {
        ++at_;
        repeated_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const {
      return at_ == other.at_ && repeated_ == other.repeated_;
    }

   private:
    const PackedSlices* slices_ = nullptr;
    std::size_t at_ = 0;
    std::uint64_t repeated_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, packed()}; }

  /// Calls `take` with each slice, and frees the memory of the list on the way.
  template <class Take>
  void consume(const Take& take) {
    for (std::vector<Packed>& chunk : chunks_) {
      for (const Packed& packed : chunk)
        for (std::uint64_t i = 0; i <= repeats(packed); ++i) take(unpack(packed));
      chunk = std::vector<Packed>();
    }
    chunks_ = std::vector<std::vector<Packed>>();
  }

  /// Calls `keep` with the start and category of each slice, and removes the slices for which
  /// `keep` returns false.
  template <class Keep>
  void keep_if(const Keep& keep) {
    const std::size_t count = packed();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (keep(at(i).start_ns, table_->category_of(at(i).facts))) at(kept++) = at(i);
    chunks_.resize((kept + chunk_size - 1) / chunk_size);
    if (kept > 0) chunks_.back().resize(kept - (chunks_.size() - 1) * chunk_size);
  }

  /// Sorts by (start, -end, depth), so that parents come before their children. Slices with equal
  /// keys keep their order in the file, with one exception. If the file has the slices (except
  /// async ones) in the order of their ends, a child comes before its parent in the file. In this
  /// case slices with equal keys are put in the reverse of their order in the file.
  void put_in_order();

 private:
  struct Packed {
    std::int64_t start_ns = 0;
    std::uint32_t duration_ns = 0;  // `most`: the duration is longer, and stored in the table
    std::uint32_t facts = 0;
    std::uint32_t external_id = 0;  // 0: none, or in the table
    std::uint32_t correlation = 0;  // the correlation + 1; 0: none, or in the table

    bool operator==(const Packed&) const = default;
  };
  static constexpr std::size_t chunk_size = 4096;
  static constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

  std::size_t packed() const {
    return chunks_.empty() ? 0 : (chunks_.size() - 1) * chunk_size + chunks_.back().size();
  }
  std::uint64_t repeats(const Packed& packed) const { return table_->repeats_of(packed.facts); }
  std::int64_t end_ns(const Packed& packed) const;
  std::strong_ordering compare(const Packed& a, const Packed& b) const;
  bool stand_as_they_end() const;
  TraceSlice unpack(const Packed& packed) const;
  Packed& at(std::size_t i) { return chunks_[i / chunk_size][i % chunk_size]; }
  const Packed& at(std::size_t i) const { return chunks_[i / chunk_size][i % chunk_size]; }

  std::shared_ptr<SliceTable> table_;
  std::vector<std::vector<Packed>> chunks_;  // all chunks except the last are full
  std::uint64_t repeats_ = 0;                // how often the last slice was repeated so far
};

}  // namespace normbench
