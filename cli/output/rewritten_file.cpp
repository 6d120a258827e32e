#include "cli/output/rewritten_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/input/input_options.hpp"
#include "lode/error.hpp"
#include "lode/stream.hpp"

namespace lode::command {
namespace {

constexpr std::size_t copied_bytes = std::size_t{1} << 20;

constexpr int most_names = 100;

// Gives the file a name beside `backup` that no other file has.
std::error_code link_beside(const std::filesystem::path& target, std::filesystem::path& backup) {
  std::error_code error;
  const std::string name = backup.native();
  for (int number = 0; number < most_names; ++number) {
    backup = name + "." + std::to_string(number);
    std::filesystem::create_hard_link(target, backup, error);
    if (error != std::errc::file_exists) break;
  }
  return error;
}

// A second name for the file, which keeps what it holds. Where that cannot be, a copy.
void keep_old(const std::filesystem::path& path, const std::filesystem::path& backup) {
  std::error_code error;
  std::filesystem::path aside = backup;
  if (link_beside(std::filesystem::canonical(path), aside)) {
    FileReplacement copy(backup);
    const FileText old(path);
    std::vector<char> piece(copied_bytes);
    for (std::uint64_t at = 0; at < old.size(); at += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece.size(), old.size() - at));
      old.read(at, piece);
      copy.write({piece.data(), piece.size()});
    }
    copy.commit();
    return;
  }
  std::filesystem::rename(aside, backup, error);
  std::error_code none;
  std::filesystem::remove(aside, none);  // it is still there if `backup` was a name of the same file, too
  if (error) throw Error(ErrorKind::input_output, backup.string() + ": " + error.message());
}

// The format that the name of a file tells, or if it tells none that of the file to which it links.
std::optional<io::CompressedFormat> told_format(const std::string& path) {
  if (const auto format = io::format_of_name(path)) return format;
  std::error_code unresolved;
  return io::format_of_name(std::filesystem::canonical(path, unresolved).native());
}

}  // namespace

RewrittenFile::RewrittenFile(const io::Input& input, const Settings& settings)
    : settings_(settings), path_(input.name()), format_(input.compressed_format()) {
  ::fstat(input.descriptor(), &status_);
}

void RewrittenFile::differ() {
  if (replacement_) return;
  if (settings_.decompress) refuse_unclear_format();
  held_.emplace();
  begin();
  copy_unchanged();
}

void RewrittenFile::refuse_unclear_format() const {
  const auto told = told_format(path_);
  if (told == format_) return;
  const auto fail = [&](const std::string& reason) { throw Error(ErrorKind::invalid_argument, path_ + ": " + reason); };
  if (!format_)
    fail("the name tells " + std::string(io::format_name(*told)) +
         " data, and the content is not packed; without -z it is rewritten as it is");
  const bool is_behind_skippable_frame = format_ == io::CompressedFormat::skippable_frame;
  if (is_behind_skippable_frame && (told == io::CompressedFormat::zstd || told == io::CompressedFormat::lz4)) return;
  fail("the content is " + std::string(io::format_name(*format_)) + " data, and the name tells " +
       (told ? std::string(io::format_name(*told)) : "no format") + "; rename it to what it is");
}

void RewrittenFile::refuse_changed_file() const {
  struct stat now {};
  if (::stat(path_.c_str(), &now) == 0 && now.st_dev == status_.st_dev && now.st_ino == status_.st_ino &&
      now.st_size == status_.st_size && now.st_mtim.tv_sec == status_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec)
    return;
  throw Error(ErrorKind::input_output, path_ + ": the file changed while it was rewritten; it is left as it is");
}

void RewrittenFile::begin() {
  replacement_.emplace(path_);
  if (!format_) return;
  io::CompressorOptions options;
  options.write = [this](std::string_view packed) { replacement_->write(packed); };
  options.name = path_;
  options.memory_limit_bytes = input_options(settings_).memory_limit_bytes;
  const bool is_skippable = format_ == io::CompressedFormat::skippable_frame;
  compressor_ = io::Compressor::open(is_skippable ? *told_format(path_) : *format_, std::move(options));
}

void RewrittenFile::copy_unchanged() {
  std::vector<char> piece(std::min<std::uint64_t>(unchanged_bytes_, copied_bytes));
  if (!format_) {
    const FileText old(path_);
    for (std::uint64_t at = 0; at < unchanged_bytes_; at += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece.size(), unchanged_bytes_ - at));
      old.read(at, piece);
      write({piece.data(), piece.size()});
    }
    return;
  }
  io::Input old = io::Input::open(path_, input_options(settings_));
  for (std::uint64_t left = unchanged_bytes_; left > 0;) {
    const std::size_t got = old.read(std::span(piece).first(std::min<std::uint64_t>(piece.size(), left)));
    if (got == 0) throw Error(ErrorKind::input_output, path_ + ": the file changed while it was read");
    write({piece.data(), got});
    left -= got;
  }
}

void RewrittenFile::append(std::string_view bytes) {
  if (replacement_)
    write(bytes);
  else
    unchanged_bytes_ += bytes.size();
}

void RewrittenFile::write(std::string_view bytes) {
  if (compressor_)
    compressor_->write(bytes);
  else
    replacement_->write(bytes);
  if (!is_interrupted()) return;
  replacement_.reset();
  held_.reset();  // ends the command
}

void RewrittenFile::commit() {
  if (!replacement_) return;
  if (compressor_) compressor_->finish();
  refuse_changed_file();
  if (!settings_.backup_suffix.empty()) keep_old(path_, path_ + settings_.backup_suffix);
  replacement_->commit();
  replacement_.reset();
  held_.reset();
}

}  // namespace lode::command
