// Tests the cache of compiled kernels, with a runtime that only counts what it is asked to do.

#include "gpu/kernel_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lode/error.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace lode::gpu::tests {
namespace {

namespace fs = std::filesystem;
using lode::tests::TemporaryFolder;
using lode::tests::Variable;

struct CountedKernel final : Kernel {};

// A "binary" is the source's text between two marks. Nothing else can be loaded.
class CountingRuntime final : public Runtime {
 public:
  explicit CountingRuntime(std::string version = "device 1, compiler 1") { limits_.version = std::move(version); }

  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Buffer> make_buffer(std::uint64_t) override { return {}; }
  std::unique_ptr<PinnedBuffer> make_pinned_buffer(std::uint64_t) override { return {}; }
  std::unique_ptr<Queue> make_queue() override { return {}; }
  std::string compile(const KernelSource& source) override {
    ++compiled;
    if (source.text.empty()) throw Error(ErrorKind::device, "the build log: no source at all");
    return "<" + std::string(binary_bytes, 'b') + source.text + ">";
  }
  std::unique_ptr<Kernel> load_kernel(const KernelSource& source, std::string_view binary) override {
    ++loaded;
    if (refuse_loads > 0) {
      --refuse_loads;
      throw Error(ErrorKind::device, "this binary is another device's");
    }
    EXPECT_EQ(binary, "<" + std::string(binary_bytes, 'b') + source.text + ">");
    return std::make_unique<CountedKernel>();
  }
  std::uint32_t groups_per_unit(const Kernel&, const Launch&) const override { return 1; }
  std::unique_ptr<Buffer> adopt(std::uintptr_t, std::uint64_t) override { return {}; }

  int compiled = 0;
  int loaded = 0;
  int refuse_loads = 0;
  std::size_t binary_bytes = 100;

 private:
  Limits limits_;
};

class KernelCache : public testing::Test {
 protected:
  std::vector<fs::path> entries(const std::string& ending = ".kernel") const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_)) return found;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ending) found.push_back(entry.path());
    return found;
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "deep" / "cache";
  Variable variable_{"LODE_CACHE_DIR", folder_.string()};
  KernelSource source_{"text", "entry", {{"LODE_MODE", 1}}};
};

TEST_F(KernelCache, CompilesOnceForAllProcesses) {
  CountingRuntime first;
  ASSERT_NE(make_kernel(first, source_), nullptr);
  EXPECT_EQ(first.compiled, 1);
  struct stat status {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(file_count(), 1U) << "a temporary file was left behind";

  CountingRuntime second;
  ASSERT_NE(make_kernel(second, source_), nullptr);
  EXPECT_EQ(second.compiled, 0);
  EXPECT_EQ(second.loaded, 1);
}

TEST_F(KernelCache, EverythingThatMakesKernelsDifferMakesAnEntry) {
  std::vector<KernelSource> sources(6, source_);
  sources[1].text = "texte";
  sources[2].entry = "other";
  sources[3].constants = {{"LODE_MODE", 2}};
  sources[4].constants = {};
  // These are the same bytes, but the text ends elsewhere.
  sources[5] = {"texte", "ntry", {{"LODE_MODE", 1}}};
  CountingRuntime runtime;
  for (int round = 0; round < 2; ++round)
    for (const KernelSource& source : sources) make_kernel(runtime, source);
  EXPECT_EQ(runtime.compiled, 6);
  EXPECT_EQ(entries().size(), 6U);
  CountingRuntime other_driver("device 1, compiler 2");
  make_kernel(other_driver, source_);
  EXPECT_EQ(other_driver.compiled, 1);
  EXPECT_EQ(entries().size(), 7U);
}

TEST_F(KernelCache, HealsEveryDamagedByte) {
  CountingRuntime runtime;
  runtime.binary_bytes = 10;
  make_kernel(runtime, source_);
  const fs::path path = entries().at(0);
  const std::string intact = TemporaryFolder::read(path);
  const auto expect_healed = [&](const std::string& damaged, const std::string& how) {
    temporary_.write("deep/cache/" + path.filename().string(), damaged);
    const int before = runtime.compiled;
    ASSERT_NE(make_kernel(runtime, source_), nullptr) << how;
    EXPECT_EQ(runtime.compiled, before + 1) << how;
    EXPECT_EQ(TemporaryFolder::read(path), intact) << how;
  };
  for (std::size_t at = 0; at < intact.size(); ++at) {
    std::string damaged = intact;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    expect_healed(damaged, "byte " + std::to_string(at));
    expect_healed(intact.substr(0, at), "cut after " + std::to_string(at));
  }
  expect_healed(intact + "x", "a byte more");
}

TEST_F(KernelCache, ReplacesWhatDoesNotLoad) {
  CountingRuntime runtime;
  make_kernel(runtime, source_);
  runtime.refuse_loads = 1;
  ASSERT_NE(make_kernel(runtime, source_), nullptr);
  EXPECT_EQ(runtime.compiled, 2);
  EXPECT_EQ(runtime.loaded, 3);
}

TEST_F(KernelCache, KeepsNothingOfAFailure) {
  CountingRuntime runtime;
  source_.text.clear();
  EXPECT_TRUE(lode::tests::throws_error(ErrorKind::device, [&] { make_kernel(runtime, source_); }));
  source_.text = "text";
  runtime.refuse_loads = 1;
  EXPECT_TRUE(lode::tests::throws_error(ErrorKind::device, [&] { make_kernel(runtime, source_); }));
  EXPECT_TRUE(entries().empty());
}

TEST_F(KernelCache, DoesNotUseAFolderThatOthersMayEnter) {
  for (const unsigned mode : {0777U, 0770U, 0702U, 01777U, 0755U, 0750U}) {
    fs::create_directories(folder_);
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    EXPECT_TRUE(cache_folder().empty()) << mode;
    CountingRuntime runtime;
    for (int round = 0; round < 2; ++round) ASSERT_NE(make_kernel(runtime, source_), nullptr);
    EXPECT_EQ(runtime.compiled, 2);
    store_cached_fact("fact", "value");
    EXPECT_EQ(read_cached_fact("fact"), std::nullopt);
    EXPECT_EQ(file_count(), 0U);
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_EQ(cache_folder(), folder_);
}

TEST_F(KernelCache, DoesNotUseAFolderOfAnother) {
  if (::geteuid() == 0) {
    fs::create_directories(folder_);
    ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
    EXPECT_EQ(cache_folder(), folder_);
    ASSERT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(cache_folder().empty());
  } else {
    const Variable root_owned("LODE_CACHE_DIR", "/");
    EXPECT_TRUE(cache_folder().empty());
  }
}

TEST_F(KernelCache, DoesNotBelieveAnEntryOfAnother) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  CountingRuntime runtime;
  make_kernel(runtime, source_);
  ASSERT_EQ(::chown(entries().at(0).c_str(), 65534, 65534), 0);
  make_kernel(runtime, source_);
  EXPECT_EQ(runtime.compiled, 2);
}

TEST_F(KernelCache, WorksWhereTheFolderCannotBe) {
  temporary_.write("deep", "a file stands in the way");
  EXPECT_TRUE(cache_folder().empty());
  CountingRuntime runtime;
  ASSERT_NE(make_kernel(runtime, source_), nullptr);
  EXPECT_EQ(runtime.compiled, 1);
  store_cached_fact("fact", "value");
  EXPECT_EQ(read_cached_fact("fact"), std::nullopt);
}

TEST_F(KernelCache, ReadsFromAFolderThatCannotBeWrittenTo) {
  // The test runs in a process that is no longer root, because root may write everywhere.
  fs::permissions(temporary_.path(), fs::perms::all);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(10);
    CountingRuntime runtime;
    make_kernel(runtime, source_);
    if (entries().size() != 1) ::_exit(11);
    ::chmod(folder_.c_str(), 0500);
    make_kernel(runtime, source_);
    if (runtime.compiled != 1) ::_exit(12);
    KernelSource other = source_;
    other.text = "other";
    for (int round = 0; round < 2; ++round)
      if (make_kernel(runtime, other) == nullptr) ::_exit(13);
    if (runtime.compiled != 3) ::_exit(14);
    ::chmod(folder_.c_str(), 0700);
    ::_exit(file_count() == 1 ? 0 : 15);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(KernelCache, DropsWhatWasUnusedForLongest) {
  fs::create_directories(folder_);
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  CountingRuntime runtime;
  make_kernel(runtime, source_);
  const fs::path used = entries().at(0);
  const auto make_sparse = [&](const std::string& name, std::uint64_t bytes, int age_hours) {
    temporary_.write("deep/cache/" + name, "");
    fs::resize_file(folder_ / name, bytes);
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::hours(age_hours));
    return folder_ / name;
  };
  const std::uint64_t mebibyte = 1 << 20;
  const fs::path oldest = make_sparse(std::string(32, 'a') + ".kernel", 60 * mebibyte, 90);
  const fs::path older = make_sparse(std::string(32, 'b') + ".fact", 60 * mebibyte, 80);
  const fs::path newer = make_sparse(std::string(32, 'c') + ".kernel", 150 * mebibyte, 70);
  const fs::path foreign = make_sparse("thesis.txt", 600 * mebibyte, 1000);
  const fs::path abandoned = make_sparse("new-Ab3dE_", 10, 30);
  const fs::path unfinished = make_sparse("new-Xb3dE_", 10, 0);
  fs::last_write_time(used, fs::file_time_type::clock::now() - std::chrono::hours(100));
  make_kernel(runtime, source_);
  EXPECT_EQ(runtime.compiled, 1);  // and its use makes it the newest entry

  KernelSource other = source_;
  other.text = "other";
  make_kernel(runtime, other);
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(older));
  EXPECT_TRUE(fs::exists(newer));
  EXPECT_TRUE(fs::exists(used));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(unfinished));
  make_kernel(runtime, other);
  EXPECT_EQ(runtime.compiled, 2);
}

TEST_F(KernelCache, ProcessesAndThreadsShareIt) {
  constexpr int processes = 4;
  constexpr int kernels = 40;
  // Files are so large that one that was not renamed into place would be seen half written.
  const auto search_all = [&] {
    CountingRuntime runtime;
    runtime.binary_bytes = 200'000;
    for (int round = 0; round < 3; ++round) {
      for (int kernel = 0; kernel < kernels; ++kernel) {
        KernelSource source = source_;
        source.text = "kernel " + std::to_string(kernel);
        if (make_kernel(runtime, source) == nullptr) return false;
      }
    }
    // An entry that was seen stays intact, so no round after the first compiles.
    return runtime.compiled <= kernels && runtime.loaded == 3 * kernels && !testing::Test::HasFailure();
  };
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() == 0) ::_exit(search_all() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back([&] { EXPECT_TRUE(search_all()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries().size(), static_cast<std::size_t>(kernels));
  EXPECT_EQ(file_count(), static_cast<std::size_t>(kernels));
}

TEST_F(KernelCache, KeepsFacts) {
  EXPECT_EQ(read_cached_fact("rate of device 1"), std::nullopt);
  store_cached_fact("rate of device 1", "11.5");
  store_cached_fact("rate of device 2", std::string("\0binary\n", 8));
  store_cached_fact("empty", "");
  EXPECT_EQ(read_cached_fact("rate of device 1"), "11.5");
  EXPECT_EQ(read_cached_fact("rate of device 2"), std::string("\0binary\n", 8));
  EXPECT_EQ(read_cached_fact("empty"), "");
  store_cached_fact("rate of device 1", "12");
  EXPECT_EQ(read_cached_fact("rate of device 1"), "12");
  EXPECT_EQ(entries(".fact").size(), 3U);
}

TEST_F(KernelCache, LooksWhereTheEnvironmentSays) {
  const std::string here = temporary_.path().string();
  {
    const Variable own("LODE_CACHE_DIR", std::nullopt);
    const Variable shared("XDG_CACHE_HOME", here + "/shared");
    EXPECT_EQ(cache_folder(), here + "/shared/lode");
  }
  const Variable own("LODE_CACHE_DIR", "");
  const Variable shared("XDG_CACHE_HOME", "relative/is/ignored");
  {
    const Variable home("HOME", here + "/home");
    EXPECT_EQ(cache_folder(), here + "/home/.cache/lode");
  }
  const Variable home("HOME", std::nullopt);
  EXPECT_TRUE(cache_folder().empty());
}

}  // namespace
}  // namespace lode::gpu::tests
