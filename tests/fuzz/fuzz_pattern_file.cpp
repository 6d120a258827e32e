// Fuzz target: the bytes are a pattern file in each format. It must be read, or refused with file and line.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/byte_source.hpp"
#include "lode/lode.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lode::tests::ByteSource source(data, size);
  const std::uint8_t control = source.byte();
  lode::PatternFileOptions options;
  options.format = static_cast<lode::PatternFormat>(control % 3);
  options.strip_carriage_return = (control & 0x10) != 0;
  options.ignore_case = (control & 0x20) != 0;
  options.warning = [](const std::string& message) {
    if (message.find("fuzz.txt") == std::string::npos) std::abort();
  };
  lode::PatternSet patterns;
  try {
    append_pattern_text(patterns, source.rest(), "fuzz.txt", options);
    std::uint64_t bytes = 0;
    for (std::uint32_t id = 0; id < patterns.size(); ++id) {
      if (patterns[id].empty()) std::abort();
      bytes += patterns[id].size();
    }
    if (bytes != patterns.total_bytes()) std::abort();
  } catch (const lode::Error& error) {
    const bool is_expected = error.kind() == lode::ErrorKind::invalid_pattern || error.kind() == lode::ErrorKind::limit;
    if (is_expected && std::string(error.what()).rfind("fuzz.txt:", 0) == 0) return 0;
    std::fprintf(stderr, "%s: %s\n", lode::name_of(error.kind()), error.what());
    std::abort();
  }
  return 0;
}
