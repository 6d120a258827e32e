#include "cli/output/rewritten_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "lode/error.hpp"
#include "lode/stream.hpp"

namespace lode::command {
namespace {

constexpr std::size_t copied_bytes = std::size_t{1} << 20;

// A second name for the file, which keeps what it holds. Where that cannot be, a copy.
void keep_old(const std::filesystem::path& path, const std::filesystem::path& backup) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  const std::filesystem::path aside = backup.native() + ".new";
  std::filesystem::remove(aside, error);
  std::filesystem::create_hard_link(target, aside, error);
  if (error) std::filesystem::copy_file(target, aside, std::filesystem::copy_options::overwrite_existing, error);
  if (!error) std::filesystem::rename(aside, backup, error);
  if (error) throw Error(ErrorKind::input_output, backup.string() + ": " + error.message());
}

}  // namespace

void RewrittenFile::differ() {
  if (replacement_) return;
  held_.emplace();
  replacement_.emplace(path_);
  const FileText old(path_);
  std::vector<char> piece(std::min<std::uint64_t>(unchanged_bytes_, copied_bytes));
  for (std::uint64_t at = 0; at < unchanged_bytes_; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), unchanged_bytes_ - at));
    old.read(at, piece);
    write({piece.data(), piece.size()});
  }
}

void RewrittenFile::append(std::string_view bytes) {
  if (replacement_)
    write(bytes);
  else
    unchanged_bytes_ += bytes.size();
}

void RewrittenFile::write(std::string_view bytes) {
  replacement_->write(bytes);
  if (!is_interrupted()) return;
  replacement_.reset();
  held_.reset();  // ends the command
}

void RewrittenFile::commit() {
  if (!replacement_) return;
  if (!backup_suffix_.empty()) keep_old(path_, path_ + backup_suffix_);
  replacement_->commit();
  replacement_.reset();
  held_.reset();
}

}  // namespace lode::command
