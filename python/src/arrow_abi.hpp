// The Arrow C data and stream interfaces: the structs that libraries of columns exchange, in any language.
//
// Layout and names are those of the specification (Apache Arrow, "The Arrow C data interface"); they never change. The
// owner of a struct calls its `release` once, unless that is null. To take over a struct, copy it and set the source's
// `release` to null. In Python the structs travel in capsules named "arrow_schema", "arrow_array" and
// "arrow_array_stream".
#pragma once

#include <cstdint>

struct ArrowSchema {
  const char* format;  // the type, in letters: "u" is a string column with 32-bit offsets
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;  // -1 means that nulls were not counted
  std::int64_t offset;      // how many records lie before the first one
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);  // gives an array whose `release` is null at the end
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace lode::python {
inline constexpr std::int64_t arrow_nullable = 2;  // a bit of ArrowSchema::flags
}
