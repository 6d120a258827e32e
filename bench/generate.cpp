// lode-generate: writes a generated text, or a generated pattern file, to standard output.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "generators.hpp"

namespace {

using lode::bench::TextGenerator;
using lode::bench::TextKind;

void write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    throw std::runtime_error("standard output cannot be written");
  }
}

void write_text(const TextGenerator& text, std::uint64_t bytes) {
  std::vector<char> piece(64 * TextGenerator::block_bytes);
  for (std::uint64_t offset = 0; offset < bytes; offset += piece.size()) {
    const std::size_t size = std::min<std::uint64_t>(piece.size(), bytes - offset);
    text.fill(offset, {piece.data(), size});
    write({piece.data(), size});
  }
}

void write_patterns(const std::vector<std::string>& patterns, bool hexadecimal) {
  std::string out;
  for (const std::string& pattern : patterns) {
    if (hexadecimal) {
      for (const char byte : pattern) {
        out += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
        out += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
      }
    } else {
      out += pattern;
    }
    out += '\n';
  }
  write(out);
}

}  // namespace

int main(int argument_count, char** arguments) {
  CLI::App app("Writes a seeded text, or a seeded pattern file, to standard output.", "lode-generate");
  app.footer("Sizes take the suffixes KiB, MiB and GiB.");
  std::string sample = LODE_BENCH_SAMPLE;
  std::string kind;
  std::uint64_t bytes = 0;
  std::uint64_t seed = 0;
  app.add_option("--sample", sample, "text file, or folder of them, that English prose is learnt from")
      ->capture_default_str();
  app.require_subcommand(1);
  app.fallthrough();

  CLI::App* const text_command = app.add_subcommand("text", "a text");
  text_command->add_option("KIND", kind)->required()->check(CLI::IsMember(lode::bench::text_kind_names()));
  text_command->add_option("BYTES", bytes)->required()->transform(CLI::AsSizeValue(false));
  text_command->add_option("SEED", seed)->required();

  lode::bench::PatternRequest request;
  std::string text_kind = "english";
  bool hexadecimal = false;
  CLI::App* const pattern_command = app.add_subcommand("patterns", "a pattern file");
  pattern_command->add_option("KIND", kind)->required()->check(CLI::IsMember(lode::bench::pattern_kind_names()));
  pattern_command->add_option("COUNT", request.count)->required();
  pattern_command->add_option("SEED", request.seed)->required();
  pattern_command->add_option("--shortest", request.min_length, "bytes")->capture_default_str();
  pattern_command->add_option("--longest", request.max_length, "bytes")->capture_default_str();
  pattern_command->add_option("--present", request.share_present, "share drawn so that it occurs")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  pattern_command->add_option("--text-kind", text_kind, "of the text that they will be looked for in")
      ->capture_default_str()
      ->check(CLI::IsMember(lode::bench::text_kind_names()));
  pattern_command->add_option("--text-bytes", bytes, "its size")->transform(CLI::AsSizeValue(false));
  pattern_command->add_option("--text-seed", seed, "its seed")->capture_default_str();
  pattern_command->add_flag("--hex", hexadecimal, "one pattern a line in hexadecimal (random bytes need it)");

  CLI11_PARSE(app, argument_count, arguments);
  try {
    const TextKind text_of = lode::bench::text_kind_of(pattern_command->parsed() ? text_kind : kind);
    const bool needs_chain = text_of == TextKind::english || kind == "english" || kind == "every-length";
    const TextGenerator text(text_of, seed, needs_chain ? lode::bench::WordChain::train(sample) : nullptr);
    if (pattern_command->parsed()) {
      request.kind = lode::bench::pattern_kind_of(kind);
      if (kind == "random" && !hexadecimal) {
        throw std::runtime_error("patterns of random bytes do not fit a file of lines; add --hex");
      }
      const bool from_text = kind == "dna" || kind == "random" || kind == "log";
      if (!from_text && bytes == 0) bytes = 1;
      write_patterns(lode::bench::make_patterns(request, text, bytes), hexadecimal);
    } else {
      write_text(text, bytes);
    }
    if (std::fflush(stdout) != 0) throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& error) {
    std::cerr << "lode-generate: " << error.what() << "\n";
    return 2;
  }
  return 0;
}
