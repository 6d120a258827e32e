#include "base/file_replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

#include "lode/error.hpp"

namespace lode {
namespace {

constexpr int most_links = 40;  // as many as the system follows
constexpr int most_names = 100;

// Follows links to a file that need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
  for (int link = 0; link < most_links; ++link) {
    std::error_code not_a_link;
    const std::filesystem::path next = std::filesystem::read_symlink(path, not_a_link);
    if (not_a_link) break;
    path = path.parent_path() / next;  // an absolute path replaces what stands before it
  }
  return path;
}

std::string draw_name(const std::filesystem::path& target) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string name = target.native() + '.';
  for (int letter = 0; letter < 6; ++letter) name += letters[random() % letters.size()];
  return name;
}

std::string name_in_proc(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

}  // namespace

FileReplacement::FileReplacement(std::filesystem::path path) : path_(std::move(path)), target_(path_) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) fail();
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail();
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail();
    is_in_place_ = true;
    return;
  }
  std::error_code unresolved;
  target_ = exists ? std::filesystem::canonical(path_, unresolved) : follow_links(path_);
  if (unresolved) target_ = path_;
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0 && ::access(name_in_proc(descriptor_).c_str(), F_OK) != 0)
    ::close(std::exchange(descriptor_, -1));  // it could not be given a name
  // What replaces a private file must not be open to others meanwhile.
  if (descriptor_ < 0) open_beside(exists ? 0600 : 0666);
  if (!exists) return;
  // If the owner may not be changed, the file is the user's own. The bits of a foreign group or user id would be wrong.
  const bool has_owner = ::fchown(descriptor_, status.st_uid, status.st_gid) == 0;
  ::fchmod(descriptor_, status.st_mode & (has_owner ? 07777 : 0777));
}

void FileReplacement::open_beside(unsigned permissions) {
  for (int tries = 0; tries < most_names; ++tries) {
    const std::string name = draw_name(target_);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (descriptor_ >= 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail();
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileReplacement::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), 1 << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool FileReplacement::link_to(const std::string& name) const {
  return ::linkat(AT_FDCWD, name_in_proc(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void FileReplacement::commit() {
  if (temporary_.empty() && !is_in_place_) {
    // If nothing has to give way, the file gets its name at once.
    const bool is_named = is_in_place_ = link_to(target_.native());
    for (int tries = 0; !is_named && temporary_.empty(); ++tries) {
      if (errno != EEXIST || tries == most_names) fail();
      const std::string name = draw_name(target_);
      if (link_to(name)) temporary_ = name;
    }
  }
  // Some file systems say only now that there is no room.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
  if (is_in_place_) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void FileReplacement::fail() const {
  throw Error(ErrorKind::input_output, path_.string() + ": " + std::generic_category().message(errno));
}

}  // namespace lode
