#include "gpu/kernel_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "gpu/kernel_sources.hpp"
#include "lode/error.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lode::gpu {
namespace {

constexpr std::string_view format_version = "1";
constexpr std::uint64_t folder_limit_bytes = std::uint64_t{256} << 20;
constexpr std::string_view kernel_ending = ".kernel";
constexpr std::string_view fact_ending = ".fact";
constexpr std::string_view temporary_prefix = "new-";
constexpr std::time_t abandoned_after_seconds = 3600;

using Key = std::array<unsigned char, 16>;

// The head of an entry stands before its content. Key and checksum are in xxHash's canonical byte order.
struct EntryHead {
  std::array<char, 8> magic{'l', 'o', 'd', 'e', 'e', 'n', 't', '1'};
  Key key{};
  std::uint64_t content_bytes = 0;
  Key checksum{};
};
static_assert(sizeof(EntryHead) == 48);

Key digest(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Key key;
  std::memcpy(key.data(), canonical.digest, key.size());
  return key;
}

Key checksum_of(std::string_view content) { return digest(XXH3_128bits(content.data(), content.size())); }

// Hashes parts with their lengths, so that bytes cannot move from one part to the next unseen: {"ab", "c"} is hashed as
// 2:ab1:c and {"a", "bc"} as 1:a2:bc.
Key key_of(const std::vector<std::string_view>& parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ":";
    all += part;
  }
  return checksum_of(all);
}

Key key_of(const Limits& limits, const KernelSource& source) {
  std::string constants;
  for (const auto& [name, value] : source.constants) constants += name + "=" + std::to_string(value) + "\n";
  constants += std::to_string(source.items_of_unit);
  return key_of({"kernel", format_version, source.text, source.entry, constants, limits.version});
}

std::string file_name(const Key& key, std::string_view ending) {
  std::string name;
  for (const unsigned char byte : key) {
    constexpr std::string_view digits = "0123456789abcdef";
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  return name.append(ending);
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool opened() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }
  /// Returns false if something that was written may not have arrived.
  bool close() noexcept {
    const bool good = descriptor_ < 0 || ::close(descriptor_) == 0;
    descriptor_ = -1;
    return good;
  }

  bool read_all(char* to, std::size_t bytes) const noexcept {
    while (bytes != 0) {
      const ssize_t got = ::read(descriptor_, to, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }

  bool write_all(const char* from, std::size_t bytes) const noexcept {
    while (bytes != 0) {
      const ssize_t done = ::write(descriptor_, from, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      from += done;
      bytes -= static_cast<std::size_t>(done);
    }
    return true;
  }

 private:
  int descriptor_;
};

std::filesystem::path environment_path(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

std::filesystem::path wanted_folder() {
  if (std::filesystem::path own = environment_path("LODE_CACHE_DIR"); !own.empty()) return own;
  // The specification of XDG_CACHE_HOME says that a relative path is to be ignored.
  if (const std::filesystem::path shared = environment_path("XDG_CACHE_HOME"); shared.is_absolute())
    return shared / "lode";
  if (const std::filesystem::path home = environment_path("HOME"); home.is_absolute()) return home / ".cache" / "lode";
  return {};
}

void make_folder(const std::filesystem::path& folder) {
  std::filesystem::path prefix;
  for (const std::filesystem::path& part : folder) {
    prefix /= part;
    ::mkdir(prefix.c_str(), 0700);  // fails if the folder exists; the caller checks whether it serves
  }
}

// Whether only this user can have written the file or folder. Its content will run on the device.
bool is_trusted(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> read_entry(const std::filesystem::path& folder, const Key& key, std::string_view ending) {
  const std::filesystem::path path = folder / file_name(key, ending);
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.opened() || ::fstat(file.descriptor(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !is_trusted(status)) return {};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  EntryHead head;
  if (size < sizeof head || size > folder_limit_bytes) return {};
  if (!file.read_all(reinterpret_cast<char*>(&head), sizeof head)) return {};
  if (head.magic != EntryHead().magic || head.key != key || head.content_bytes != size - sizeof head) return {};
  std::string content(head.content_bytes, '\0');
  if (!file.read_all(content.data(), content.size()) || checksum_of(content) != head.checksum) return {};
  ::futimens(file.descriptor(), nullptr);  // marks the entry as used now
  return content;
}

bool is_entry(std::string_view name) {
  const std::string_view ending = name.ends_with(kernel_ending) ? kernel_ending : fact_ending;
  return name.size() == 2 * sizeof(Key) + ending.size() && name.ends_with(ending) &&
         name.find_first_not_of("0123456789abcdef") == 2 * sizeof(Key);
}

// Keeps the folder's entries within the limit. Other files are never touched.
void remove_surplus(const std::filesystem::path& folder) {
  struct Entry {
    timespec used;
    std::uint64_t bytes;
    std::string name;
  };
  std::vector<Entry> entries;
  std::uint64_t total_bytes = 0;
  DIR* listing = ::opendir(folder.c_str());
  if (listing == nullptr) return;
  const int at = ::dirfd(listing);
  while (const dirent* row = ::readdir(listing)) {  // NOLINT(concurrency-mt-unsafe): the listing is this call's own
    const std::string_view name = row->d_name;
    const bool temporary = name.starts_with(temporary_prefix);
    struct stat status {};
    if (!temporary && !is_entry(name)) continue;
    if (::fstatat(at, row->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (!temporary) {
      entries.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), row->d_name});
      total_bytes += entries.back().bytes;
    } else if (status.st_mtim.tv_sec + abandoned_after_seconds < std::time(nullptr)) {
      ::unlinkat(at, row->d_name, 0);  // left by a process that ended while it wrote
    }
  }
  if (total_bytes > folder_limit_bytes) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
    });
    for (const Entry& entry : entries) {
      if (total_bytes <= folder_limit_bytes) break;
      ::unlinkat(at, entry.name.c_str(), 0);
      total_bytes -= entry.bytes;
    }
  }
  ::closedir(listing);
}

void write_entry(const std::filesystem::path& folder, const Key& key, std::string_view ending,
                 std::string_view content) {
  EntryHead head;
  head.key = key;
  head.content_bytes = content.size();
  head.checksum = checksum_of(content);
  if (content.size() > folder_limit_bytes - sizeof head) return;
  std::string temporary = folder / (std::string(temporary_prefix) + "XXXXXX");
  File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.opened()) return;
  const bool written = file.write_all(reinterpret_cast<const char*>(&head), sizeof head) &&
                       file.write_all(content.data(), content.size());
  const std::filesystem::path path = folder / file_name(key, ending);
  if (!file.close() || !written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  remove_surplus(folder);
}

Key fact_key(std::string_view key) { return key_of({"fact", format_version, key}); }

}  // namespace

std::filesystem::path cache_folder() {
  const std::filesystem::path folder = wanted_folder();
  if (folder.empty()) return {};
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    make_folder(folder);
    if (::stat(folder.c_str(), &status) != 0) return {};
  }
  // Rates are kept here, too, and tell what was searched. That is nobody else's business.
  const bool is_private = (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return S_ISDIR(status.st_mode) && is_private && is_trusted(status) ? folder : std::filesystem::path();
}

std::unique_ptr<Kernel> make_kernel(Runtime& runtime, const KernelSource& source) {
  const std::filesystem::path folder = cache_folder();
  const Key key = key_of(runtime.limits(), source);
  if (!folder.empty()) {
    if (const std::optional<std::string> binary = read_entry(folder, key, kernel_ending)) {
      try {
        return runtime.load_kernel(source, *binary);
      } catch (const Error&) {
        // The entry is intact, yet the device does not take it. Compiling the kernel again replaces it.
      }
    }
  }
  const std::string binary = runtime.compile(source);
  std::unique_ptr<Kernel> kernel = runtime.load_kernel(source, binary);
  if (!folder.empty()) write_entry(folder, key, kernel_ending, binary);
  return kernel;
}

std::uint32_t helper_group_items(const Runtime& runtime) { return std::min(256u, runtime.limits().max_group_items); }

std::unique_ptr<Kernel> make_helper_kernel(Runtime& runtime, const char* file, const char* entry, std::int64_t mode,
                                           std::vector<std::pair<std::string, std::int64_t>> constants) {
  const std::uint32_t team = runtime.limits().team_items;
  KernelSource source;
  source.text = kernel_source(file);
  source.entry = entry;
  source.constants = std::move(constants);
  source.constants.emplace_back("LODE_MODE", mode);
  source.constants.emplace_back("LODE_RECORDS", 0);
  source.constants.emplace_back("LODE_TEAM", team == 0 ? helper_group_items(runtime) : team);
  return make_kernel(runtime, source);
}

std::optional<std::string> read_cached_fact(std::string_view key) {
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  return read_entry(folder, fact_key(key), fact_ending);
}

void store_cached_fact(std::string_view key, std::string_view value) {
  const std::filesystem::path folder = cache_folder();
  if (!folder.empty()) write_entry(folder, fact_key(key), fact_ending, value);
}

}  // namespace lode::gpu
