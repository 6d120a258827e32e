// The Arrow C data and stream interfaces: the structs that any library of columns exchanges, whatever it is written in.
//
// Layout and names are those of the specification (Apache Arrow, "The Arrow C data interface"); they never change. Who
// has a struct whose `release` is not null calls that once. To take a struct over: copy it and set the source's
// `release` to null. In Python they travel in capsules named "arrow_schema", "arrow_array" and "arrow_array_stream".
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
  std::int64_t null_count;  // -1: not counted
  std::int64_t offset;      // of the first record, in records
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
  int (*get_next)(ArrowArrayStream*, ArrowArray*);  // at the end gives an array whose `release` is null
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace lode::python {
inline constexpr std::int64_t arrow_nullable = 2;  // of ArrowSchema::flags
}
