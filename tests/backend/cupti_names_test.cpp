#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/cupti/cupti_records.h"

namespace normbench::cupti::cupti_names_test {
namespace {

TEST(CuptiNames, OfCopiesSayBothKindsOfMemory) {
  EXPECT_EQ(memcpy_name(1, 1, 3), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(memcpy_name(2, 3, 2), "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(memcpy_name(8, 6, 7), "Memcpy DtoD (Device Static -> Managed Static)");
  EXPECT_EQ(memcpy_name(10, 4, 5), "Memcpy PtoP (Array -> Managed)");
  EXPECT_EQ(memcpy_name(99, 8, 0), "Memcpy Unknown (Unknown -> Unknown)");
}

TEST(CuptiNames, OfSets) {
  EXPECT_EQ(memset_name(3), "Memset (Device)");
  EXPECT_EQ(memset_name(99), "Memset (Unknown)");
}

TEST(CuptiNames, OfWaitsAreThoseOfTorch) {
  EXPECT_EQ(sync_name(1), "Event Sync");
  EXPECT_EQ(sync_name(2), "Stream Wait Event");
  EXPECT_EQ(sync_name(3), "Stream Sync");
  EXPECT_EQ(sync_name(4), "Context Sync");
  EXPECT_EQ(sync_name(5), "Unknown Sync");
}

TEST(CuptiNames, OfOverhead) {
  EXPECT_EQ(overhead_name(0), "Unknown");
  EXPECT_EQ(overhead_name(1), "Driver Compiler");
  EXPECT_EQ(overhead_name(1 << 16), "Buffer Flush");
  EXPECT_EQ(overhead_name(2 << 16), "Instrumentation");
  EXPECT_EQ(overhead_name(3 << 16), "Resource");
  EXPECT_EQ(overhead_name(4 << 16), "Runtime Triggered Module Loading");
  EXPECT_EQ(overhead_name(5 << 16), "Lazy Function Loading");
  EXPECT_EQ(overhead_name(6 << 16), "Command Buffer Full");
  EXPECT_EQ(overhead_name(7 << 16), "Activity Buffer Request");
  EXPECT_EQ(overhead_name(8 << 16), "UVM Activity Init");
  EXPECT_EQ(overhead_name(9 << 16), "Unknown");
  EXPECT_EQ(overhead_name(0x7fffffff), "Unknown");
}

TEST(CuptiNames, OfCallsAreWithoutTheirVersion) {
  EXPECT_EQ(call_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cudaGraphLaunch_v10000"), "cudaGraphLaunch");
  EXPECT_EQ(call_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync_ptsz");
  EXPECT_EQ(call_name("__cudaLaunchKernel_v13000"), "cudaLaunchKernel");
  EXPECT_EQ(call_name("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(call_name("cuMemFree_v2"), "cuMemFree_v2");  // _v2 is a part of its name
  EXPECT_EQ(call_name("cuCall7000"), "cuCall7000");
  EXPECT_EQ(call_name(""), "");
  EXPECT_EQ(call_name("_v7000"), "v7000");
  EXPECT_EQ(call_name("____"), "____");
}

TEST(CuptiNames, OfKernelsAreReadable) {
  EXPECT_EQ(kernel_name("_Z6vecAddIfEvPKT_S2_PS0_i"),
            "void vecAdd<float>(float const*, float const*, float*, int)");
  EXPECT_EQ(kernel_name("_ZN3nb14castEPK6__halfPf"), "nb1::cast(__half const*, float*)");
}

TEST(CuptiNames, OfPlainKernelsStay) {
  EXPECT_EQ(kernel_name("f"), "f");  // a mangled type "f" would be "float"
  EXPECT_EQ(kernel_name("my_kernel"), "my_kernel");
}

TEST(CuptiNames, OfKernelsThatCannotBeReadStay) {
  EXPECT_EQ(kernel_name("_Z"), "_Z");
  EXPECT_EQ(kernel_name("_Z99short"), "_Z99short");
  EXPECT_EQ(kernel_name("_Zno \"mangled\" name\\\x01\xff"), "_Zno \"mangled\" name\\\x01\xff");
}

TEST(CuptiNames, OfKernelsWithoutOneSaySo) {
  EXPECT_EQ(kernel_name(nullptr), "unnamed kernel");
  EXPECT_EQ(kernel_name(""), "unnamed kernel");
}

TEST(CuptiNames, OfTenThousandCharactersStay) {
  const std::string long_name = "_Z9994" + std::string(9994, 'k') + "v";
  ASSERT_GT(long_name.size(), 10'000u);
  EXPECT_EQ(kernel_name(long_name.c_str()), long_name);
}

/// The C++ library does not demangle names of more than 1024 characters. The mangled name here has
/// 1007.
TEST(CuptiNames, OfAThousandCharactersAreReadable) {
  const std::string name(1000, 'k');
  EXPECT_EQ(kernel_name(("_Z1000" + name + "v").c_str()), name + "()");
}

}  // namespace
}  // namespace normbench::cupti::cupti_names_test
