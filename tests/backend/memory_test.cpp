#include "backend/cpu/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace normbench::memory_test {
namespace {

constexpr std::size_t huge = std::size_t{2} << 20;

std::int64_t minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Returns the text after "NAME:" in /proc/self/smaps for the mapping that contains `address`, or
/// "" if there is none.
std::string mapping_line(const void* address, const std::string& name) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream head(line);
    if (head >> std::hex >> begin >> dash >> end && dash == '-') inside = begin <= at && at < end;
    if (inside && line.starts_with(name + ":")) return line.substr(name.size() + 1);
  }
  return "";
}

bool system_gives_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string words;
  std::getline(file, words);
  return words.find("[madvise]") != words.npos || words.find("[always]") != words.npos;
}

/// Writes to every page. It is not instrumented, because the shadow memory of a sanitizer would
/// also cause page faults.
__attribute__((no_sanitize("address", "thread"))) void touch(Allocation& pages) {
  for (std::size_t at = 0; at < pages.bytes(); at += 4096) pages.data()[at] = std::byte{1};
}

TEST(HugePages, AreAskedForAndAligned) {
  if (!system_gives_huge_pages()) GTEST_SKIP() << "transparent_hugepage/enabled is never";
  const auto pages = map_pages(Memory::PageableHuge, 4 * huge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->data()) % huge, 0);
  EXPECT_NE(mapping_line(pages->data(), "VmFlags").find(" hg"), std::string::npos);
  const auto plain = map_pages(Memory::Pageable, 4 * huge);
  EXPECT_EQ(mapping_line(plain->data(), "VmFlags").find(" hg"), std::string::npos);
}

TEST(HugePages, FaultOnceEach) {
  if (!system_gives_huge_pages()) GTEST_SKIP() << "transparent_hugepage/enabled is never";
  constexpr std::int64_t count = 8;
  const auto pages = map_pages(Memory::PageableHuge, count * huge);
  const std::int64_t before = minor_faults();
  touch(*pages);
  const std::int64_t faults = minor_faults() - before;
  std::istringstream line(mapping_line(pages->data(), "AnonHugePages"));
  std::int64_t kib = 0;
  line >> kib;
  const std::int64_t given = kib * 1024 / static_cast<std::int64_t>(huge);
  if (given == 0) GTEST_SKIP() << "the system has no huge pages free";
  const std::int64_t expected = given + (count - given) * 512;
  constexpr std::int64_t of_others = 8;  // page faults allowed outside of the writes
  EXPECT_GE(faults, expected);
  EXPECT_LE(faults, expected + of_others);
}

/// The populated bytes lie in pages 3 to 6, but cover pages 3 and 6 only partly.
TEST(PopulatePages, MapsThePagesOfAPartAndKeepsWhatTheyHold) {
  if (!populates_pages()) GTEST_SKIP() << "this Linux has no MADV_POPULATE_WRITE";
  constexpr std::size_t page = 4096, count = 10;
  const auto pages = map_pages(Memory::Pageable, count * page);
  std::byte* const data = pages->data();
  data[4 * page + 5] = std::byte{42};
  populate_pages(data + 4 * page - 1, 2 * page + 2);
  std::vector<unsigned char> mapped(count);
  ASSERT_EQ(mincore(data, count * page, mapped.data()), 0);
  for (unsigned char& bits : mapped) bits &= 1;
  EXPECT_EQ(mapped, (std::vector<unsigned char>{0, 0, 0, 1, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(data[4 * page + 5], std::byte{42});
  EXPECT_EQ(data[4 * page + 6], std::byte{0});
}

TEST(PopulatePages, OfNothingIsNothing) {
  const auto pages = map_pages(Memory::Pageable, 4096);
  populate_pages(pages->data(), 0);
  unsigned char mapped = 0;
  ASSERT_EQ(mincore(pages->data(), 4096, &mapped), 0);
  EXPECT_EQ(mapped & 1, 0);
}

}  // namespace
}  // namespace normbench::memory_test
