// Helps the tests of -z: makes compressed texts with the formats' own programs, and checks what the command finds in
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "process.hpp"

namespace lode::test {

/// Gives the content to a program through a pipe, and returns what it writes.
std::string packed_by(const std::string& program, const std::vector<std::string>& arguments,
                      const std::string& content);

struct Format {
  std::string name;
  std::string program;     // packs with -c and unpacks with -dc
  std::size_t head_bytes;  // as many bytes tell it from plain text
};

inline const Format formats[] = {
    {"gz", "gzip", 6}, {"bz2", "bzip2", 10}, {"xz", "xz", 6}, {"zst", "zstd", 4}, {"lz4", "lz4", 4}};

std::string compressed(const std::string& content, const std::string& program);

/// Packs in the format that lz4 had before frames with checksums: blocks of 8 MiB, each compressed by itself.
std::string legacy_lz4(const std::string& content);

std::string numbered_lines(int count);

std::string with_changed_byte(std::string bytes, std::size_t at);

/// Searches packed bytes from a file and from a pipe, with and without a thread that unpacks ahead. `name` is the name
/// of the input in messages.
void search_in_every_way(const std::string& packed, const std::vector<std::string>& arguments,
                         const std::function<void(const Outcome& outcome, const std::string& name)>& check);

void expect_nothing_in(const std::string& packed, const std::string& pattern, const std::string& what);
void expect_searched_as(const std::string& text, const std::string& packed, const std::string& what);

/// Expects that every way counts the same in what can be unpacked, and then calls the input damaged.
void expect_damaged(const std::string& packed, const std::string& what);

}  // namespace lode::test
