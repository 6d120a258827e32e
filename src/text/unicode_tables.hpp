// The Unicode Character Database, as far as views need it: lists that make_unicode_tables.py writes into
// unicode_tables.cpp. unicode.hpp gives quick access.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lode::text::tables {

extern const char unicode_version[];

struct Range {
  char32_t first;
  char32_t last;
  std::uint8_t value;  // 1, or the class
};
/// The code points first, first + stride … last are folded by adding the difference.
struct FoldRange {
  char32_t first;
  char32_t last;
  std::uint8_t stride;
  std::int32_t difference;
};
struct Composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

extern const Range white_space[], default_ignorable[], punctuation[], marks[], word_characters[], combining_classes[];
extern const std::size_t white_space_count, default_ignorable_count, punctuation_count, marks_count,
    word_characters_count, combining_classes_count;
extern const FoldRange simple_folds[];
extern const std::size_t simple_folds_count;
/// Mappings, one after the other: the code point, the number of code points that it becomes, and these. Decompositions
/// are complete and in canonical order, without Hangul's. Compatible ones are listed where they differ from canonical.
extern const char32_t full_folds[], canonical_decompositions[], compatible_decompositions[];
extern const std::size_t full_folds_count, canonical_decompositions_count, compatible_decompositions_count;
/// An encoding of one byte a character that begins with ASCII: the characters of the bytes from 0x80 on. 0xFFFD: none.
struct SingleByteEncoding {
  const char* name;
  char16_t upper[128];
};
extern const SingleByteEncoding single_byte_encodings[];
extern const std::size_t single_byte_encodings_count;
extern const Composition compositions[];
extern const std::size_t compositions_count;

}  // namespace lode::text::tables
