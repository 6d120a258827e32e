#include "io/decompressor.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <utility>
#include <vector>

#include "base/dynamic_library.hpp"
#include "lode/error.hpp"

namespace lode::io {
namespace {

using namespace std::string_view_literals;

// The functions in use, with the types of the header that this was compiled against.
struct Library {
  base::DynamicLibrary archive_object;
  decltype(::archive_read_new)* create = nullptr;
  decltype(::archive_read_free)* destroy = nullptr;
  decltype(::archive_read_set_format)* set_format = nullptr;
  decltype(::archive_read_append_filter)* append_filter = nullptr;
  decltype(::archive_read_open)* open = nullptr;
  decltype(::archive_read_next_header)* next_header = nullptr;
  decltype(::archive_read_data)* read_data = nullptr;
  decltype(::archive_error_string)* error_string = nullptr;
  std::string reason;  // why it cannot be used; empty where it can
};

Library load_library() {
  Library loaded;
  loaded.archive_object = base::DynamicLibrary::open({"libarchive.so.13"});
  if (!loaded.archive_object.loaded()) {
    loaded.reason = "compressed input needs libarchive, which is not there (" + loaded.archive_object.reason() + ")";
    return loaded;
  }
  const auto& from = loaded.archive_object;
  if (!from.bind("archive_read_new", loaded.create) || !from.bind("archive_read_free", loaded.destroy) ||
      !from.bind("archive_read_set_format", loaded.set_format) ||
      !from.bind("archive_read_append_filter", loaded.append_filter) || !from.bind("archive_read_open", loaded.open) ||
      !from.bind("archive_read_next_header", loaded.next_header) || !from.bind("archive_read_data", loaded.read_data) ||
      !from.bind("archive_error_string", loaded.error_string)) {
    loaded.reason = "compressed input needs a libarchive of version 3.2 or later";
  }
  return loaded;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

}  // namespace

int detect_compression(std::string_view head) noexcept {
  if (head.starts_with("\x1f\x8b"sv)) return ARCHIVE_FILTER_GZIP;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return ARCHIVE_FILTER_ZSTD;
  if (head.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv)) return ARCHIVE_FILTER_XZ;
  if (head.starts_with("BZh"sv) && head.size() > 3 && head[3] >= '1' && head[3] <= '9') return ARCHIVE_FILTER_BZIP2;
  if (head.starts_with("\x04\x22\x4d\x18"sv)) return ARCHIVE_FILTER_LZ4;
  return 0;
}

struct Decompressor::State {
  Source source;
  std::string name;
  std::vector<char> compressed = std::vector<char>(std::size_t{1} << 18);
  std::exception_ptr source_error;  // thrown by the source inside libarchive's C code
  archive* reader = nullptr;
  bool empty = false;

  [[noreturn]] void fail() const {
    if (source_error) std::rethrow_exception(source_error);
    const char* reason = library().error_string(reader);
    throw Error(ErrorKind::input_output, name + ": " + (reason != nullptr ? reason : "damaged compressed data"));
  }

  static la_ssize_t read_compressed(archive*, void* self, const void** buffer) {
    auto& state = *static_cast<State*>(self);
    *buffer = state.compressed.data();
    try {
      return static_cast<la_ssize_t>(state.source(state.compressed));
    } catch (...) {
      state.source_error = std::current_exception();
      return -1;
    }
  }
};

Decompressor::Decompressor(int compression, Source source, std::string name) : state_(std::make_unique<State>()) {
  const Library& calls = library();
  if (!calls.reason.empty()) throw Error(ErrorKind::input_output, name + ": " + calls.reason);
  state_->source = std::move(source);
  state_->name = std::move(name);
  state_->reader = calls.create();
  if (state_->reader == nullptr) throw std::bad_alloc();
  archive_entry* entry = nullptr;
  const auto failed = [](int result) { return result != ARCHIVE_OK && result != ARCHIVE_WARN; };
  try {
    if (failed(calls.set_format(state_->reader, ARCHIVE_FORMAT_RAW)) ||
        failed(calls.append_filter(state_->reader, compression)) ||
        failed(calls.open(state_->reader, state_.get(), nullptr, State::read_compressed, nullptr))) {
      state_->fail();
    }
    const int header = calls.next_header(state_->reader, &entry);
    if (header == ARCHIVE_EOF) {
      state_->empty = true;
    } else if (failed(header)) {
      state_->fail();
    }
  } catch (...) {
    calls.destroy(state_->reader);
    throw;
  }
}

Decompressor::~Decompressor() { library().destroy(state_->reader); }

std::size_t Decompressor::read(std::span<char> into) {
  if (state_->empty || into.empty()) return 0;
  const la_ssize_t got = library().read_data(state_->reader, into.data(), into.size());
  if (got < 0) state_->fail();
  return static_cast<std::size_t>(got);
}

}  // namespace lode::io
