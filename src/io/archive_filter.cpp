// zstd, xz and bzip2 data, through libarchive.
#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <new>
#include <utility>

#include "base/dynamic_library.hpp"
#include "io/decompressor.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

// The functions in use, with the types of the header that this was compiled against.
struct Library {
  base::DynamicLibrary object;
  decltype(::archive_read_new)* create = nullptr;
  decltype(::archive_read_free)* destroy = nullptr;
  decltype(::archive_read_set_format)* set_format = nullptr;
  decltype(::archive_read_append_filter)* append_filter = nullptr;
  decltype(::archive_read_open)* open = nullptr;
  decltype(::archive_read_next_header)* next_header = nullptr;
  decltype(::archive_read_data)* read_data = nullptr;
  decltype(::archive_filter_bytes)* filter_bytes = nullptr;
  decltype(::archive_error_string)* error_string = nullptr;
  std::string reason;  // why it cannot be used; empty where it can
};

Library load_library() {
  Library loaded;
  loaded.object = base::DynamicLibrary::open({"libarchive.so.13"});
  if (!loaded.object.loaded()) {
    loaded.reason = "compressed input needs libarchive, which is not there (" + loaded.object.reason() + ")";
    return loaded;
  }
  const auto& from = loaded.object;
  if (!from.bind("archive_read_new", loaded.create) || !from.bind("archive_read_free", loaded.destroy) ||
      !from.bind("archive_read_set_format", loaded.set_format) ||
      !from.bind("archive_read_append_filter", loaded.append_filter) || !from.bind("archive_read_open", loaded.open) ||
      !from.bind("archive_read_next_header", loaded.next_header) || !from.bind("archive_read_data", loaded.read_data) ||
      !from.bind("archive_filter_bytes", loaded.filter_bytes) ||
      !from.bind("archive_error_string", loaded.error_string)) {
    loaded.reason = "compressed input needs a libarchive of version 3.2 or later";
  }
  return loaded;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

class ArchiveFilter final : public Decompressor {
 public:
  ArchiveFilter(int filter, Source source, std::string name) : Decompressor(std::move(source), std::move(name)) {
    if (!library().reason.empty()) fail(library().reason);
    reader_.reset(library().create());
    if (!reader_) throw std::bad_alloc();
    archive_entry* entry = nullptr;
    check(library().set_format(reader_.get(), ARCHIVE_FORMAT_RAW));
    check(library().append_filter(reader_.get(), filter));
    check(library().open(reader_.get(), this, nullptr, read_compressed, nullptr));
    const int header = library().next_header(reader_.get(), &entry);
    has_ended_ = header == ARCHIVE_EOF;
    if (has_ended_)
      check_end();
    else
      check(header);
  }

  std::size_t read(std::span<char> into) override {
    if (has_ended_ || into.empty()) return 0;
    const la_ssize_t got = library().read_data(reader_.get(), into.data(), into.size());
    if (got < 0) fail_with_reason();
    has_ended_ = got == 0;
    if (has_ended_) check_end();
    return static_cast<std::size_t>(got);
  }

 private:
  struct Destroy {
    void operator()(archive* reader) const { library().destroy(reader); }
  };

  static la_ssize_t read_compressed(archive*, void* self, const void** buffer) {
    auto& filter = *static_cast<ArchiveFilter*>(self);
    try {
      const std::span<char> more = filter.next_compressed();
      *buffer = more.data();
      filter.given_bytes_ += static_cast<la_int64_t>(more.size());
      return static_cast<la_ssize_t>(more.size());
    } catch (...) {
      filter.source_error_ = std::current_exception();
      return -1;
    }
  }

  void check(int result) const {
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail_with_reason();
  }

  // Filters end without a word before what they do not know: at a stream whose first bytes are damaged, too.
  void check_end() {
    constexpr int of_the_file = -1;
    const bool took_all = library().filter_bytes(reader_.get(), of_the_file) >= given_bytes_;
    if (!took_all || !next_compressed().empty()) fail("damaged data, or something else, follow the compressed data");
  }

  [[noreturn]] void fail_with_reason() const {
    if (source_error_) std::rethrow_exception(source_error_);
    const char* reason = library().error_string(reader_.get());
    fail(reason != nullptr ? reason : "damaged compressed data");
  }

  std::exception_ptr source_error_;  // thrown by the source inside libarchive's C code
  la_int64_t given_bytes_ = 0;
  bool has_ended_ = false;
  std::unique_ptr<archive, Destroy> reader_;
};

}  // namespace

std::unique_ptr<Decompressor> open_zstd(Decompressor::Source source, std::string name) {
  return std::make_unique<ArchiveFilter>(ARCHIVE_FILTER_ZSTD, std::move(source), std::move(name));
}

std::unique_ptr<Decompressor> open_xz(Decompressor::Source source, std::string name) {
  return std::make_unique<ArchiveFilter>(ARCHIVE_FILTER_XZ, std::move(source), std::move(name));
}

std::unique_ptr<Decompressor> open_bzip2(Decompressor::Source source, std::string name) {
  return std::make_unique<ArchiveFilter>(ARCHIVE_FILTER_BZIP2, std::move(source), std::move(name));
}

}  // namespace lode::io
