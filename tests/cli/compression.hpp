// Shared by the tests of -z: compressed texts as the formats' own programs make them, and what is expected of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "process.hpp"

namespace lode::test {

/// What a program writes of this, or of nothing, given through a pipe.
std::string packed_by(const std::string& program, const std::vector<std::string>& arguments,
                      const std::string& content);

struct Format {
  std::string name;
  std::string program;     // that packs with -c and unpacks with -dc
  std::size_t head_bytes;  // enough to tell it from plain text
};

inline const Format formats[] = {
    {"gz", "gzip", 6}, {"bz2", "bzip2", 10}, {"xz", "xz", 6}, {"zst", "zstd", 4}, {"lz4", "lz4", 4}};

std::string compressed(const std::string& content, const std::string& program);

/// lz4's format before it had frames with checksums: blocks of 8 MiB, each compressed by itself.
std::string legacy_lz4(const std::string& content);

std::string numbered_lines(int count);

std::string with_changed_byte(std::string bytes, std::size_t at);

/// Searches what is packed from a file and from a pipe, with and without a thread that unpacks ahead. `name` is how
/// messages call it.
void search_in_every_way(const std::string& packed, const std::vector<std::string>& arguments,
                         const std::function<void(const Outcome& outcome, const std::string& name)>& check);

void expect_nothing_in(const std::string& packed, const std::string& pattern, const std::string& what);
void expect_searched_as(const std::string& text, const std::string& packed, const std::string& what);

/// What there is of it is counted, the same in every way, and then it is called damaged.
void expect_damaged(const std::string& packed, const std::string& what);

}  // namespace lode::test
