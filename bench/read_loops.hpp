// Read loops: how fast this machine can read a text at all.
//
// Each loop loads every byte of the text once, in vectors, and sums them; they differ in how many places they
// read at once and whether they prefetch. The best of them in the same run is the read ceiling that searches
// are held against. How much faster all cores compute than one does is a ceiling too: it is what is held against speed-ups
// of searches that memory does not bound, since cores that share power, or a host, are slower together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lode::bench {

using ReadLoop = std::uint64_t (*)(const char* text, std::uint64_t bytes);

struct NamedReadLoop {
  const char* name;
  ReadLoop run;  // sum of the 64-bit words of the text, without the up to 4095 bytes at its end; on one thread
};

std::span<const NamedReadLoop> read_loops();

/// Computes as fast as a core issues, in six independent chains, and reads nothing but the first byte; takes about as
/// long as reading from memory would. (Cores that are two threads of one are slower together here; code that waits for its
/// own results is not.)
std::uint64_t compute(const char* text, std::uint64_t bytes);

/// The loop over pieces of the text on all threads.
std::uint64_t read_with_all_threads(ReadLoop loop, std::string_view text);

}  // namespace lode::bench
