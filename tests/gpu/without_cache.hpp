// Tests that must not find compiled kernels on the disk, because a call that is skipped cannot fail.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace lode::gpu::tests {

class WithoutCache : public testing::Test {
 protected:
  void SetUp() override {
    const char* const folder = std::getenv("LODE_CACHE_DIR");
    if (folder != nullptr) cache_before_ = folder;
    ASSERT_EQ(::setenv("LODE_CACHE_DIR", "/dev/null/no-such-folder", 1), 0);
  }
  void TearDown() override {
    if (cache_before_.empty()) {
      ::unsetenv("LODE_CACHE_DIR");
    } else {
      ::setenv("LODE_CACHE_DIR", cache_before_.c_str(), 1);
    }
  }

 private:
  std::string cache_before_;
};

}  // namespace lode::gpu::tests
