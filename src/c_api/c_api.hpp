// What the files of the C API share: the handles behind the opaque types, and the translation of arguments and errors.
//
// Each function translates its arguments and calls the C++ API inside guarded(), which turns every exception into a
// status and an error object. It stores results only after everything that can fail has succeeded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lode/lode.h"
#include "lode/lode.hpp"

struct lode_error {
  lode_status status;
  std::string message;
};
struct lode_stop {
  std::stop_source source;
};
struct lode_pattern_set {
  lode::PatternSet patterns;
};
struct lode_plan {
  lode::Plan plan;
};
struct lode_file {
  lode::FileText text;
};
struct lode_device {
  lode::Device device;
};
struct lode_resident_text {
  lode::ResidentText text;
};
struct lode_searcher {
  lode::Searcher searcher;
};
struct lode_records {
  lode::Records records;
};
struct lode_record_searcher {
  lode::RecordSearcher searcher;
};
struct lode_stream {
  // The stream fills its own statistics, because the caller's struct may have an older layout.
  lode::SearchStats stats;
  lode_search_stats* caller_stats;
  std::optional<lode::Stream> stream;
};
struct lode_replacements {
  lode::Replacements replacements;
};
struct lode_rewrite_stream {
  lode::SearchStats stats;
  lode_search_stats* caller_stats;
  std::optional<lode::RewriteStream> stream;
};
struct lode_list {
  struct Entry {
    std::string name, description, note;
    bool available = true;
  };
  std::vector<Entry> entries;
};

namespace lode::c_api {

/// Makes an error object if the caller wants one. Returns the status.
lode_status fail(lode_error** error, lode_status status, const char* message) noexcept;
lode_status status_of(ErrorKind kind) noexcept;

template <typename Work>
lode_status guarded(lode_error** error, Work&& work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    work();
    return LODE_OK;
  } catch (const Error& failure) {
    return fail(error, status_of(failure.kind()), failure.what());
  } catch (const std::bad_alloc&) {
    return fail(error, LODE_OUT_OF_MEMORY, "the system has no memory left");
  } catch (const std::exception& failure) {
    return fail(error, LODE_INTERNAL, failure.what());
  } catch (...) {
    return fail(error, LODE_INTERNAL, "an unknown exception");
  }
}

inline void require(bool condition, const char* message) {
  if (!condition) throw Error(ErrorKind::invalid_argument, message);
}

template <typename... Pointers>
void require_pointers(Pointers... pointers) {
  require(((pointers != nullptr) && ...), "a required pointer is NULL");
}

/// Returns the caller's struct in today's layout. Fields that it does not have get their defaults. A struct of a newer
/// library is accepted as long as the fields that this one does not know are zero.
///
///   older caller   |size|a|b|          size, a and b are copied; c gets its default
///   this library   |size|a|b|c|
///   newer caller   |size|a|b|c|d|      accepted if d is 0
template <typename Options>
Options known_options(const Options* given, Options defaults) {
  if (given == nullptr) return defaults;
  const std::size_t size = given->size;
  require(size >= sizeof(std::size_t), "an options struct has no size; initialise it with its *_INIT macro");
  if (size > sizeof(Options)) {
    const char* bytes = reinterpret_cast<const char*>(given);
    require(std::all_of(bytes + sizeof(Options), bytes + size, [](char byte) { return byte == 0; }),
            "an options struct sets a field that this version of the library does not know");
  }
  std::memcpy(&defaults, given, std::min(size, sizeof(Options)));
  return defaults;
}

inline std::string_view view(const void* bytes, std::uint64_t size_bytes) {
  require(bytes != nullptr || size_bytes == 0, "a required pointer is NULL");
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size_bytes)};
}

inline Progress progress_of(lode_progress progress, void* context) {
  if (progress == nullptr) return {};
  return [=](std::uint64_t done, std::uint64_t total) { progress(done, total, context); };
}

inline std::stop_token token_of(const lode_stop* stop) {
  return stop == nullptr ? std::stop_token{} : stop->source.get_token();
}

struct SearcherSettings {
  SearcherOptions options;
  Device device = Device::cpu();
};
SearcherSettings settings_of(const lode_searcher_options* options);

/// Throws if the caller's struct is not initialised. NULL is accepted.
void check_stats(const lode_search_stats* stats);
/// Fills the caller's struct, which may have another layout. If it is NULL, does nothing.
void store_stats(lode_search_stats* to, const SearchStats& from);

}  // namespace lode::c_api
