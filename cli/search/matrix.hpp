// Matrix: what --matrix needs beside the patterns: a searcher of records, a printer of its hits and, with --verify, a
// verifier of these hits.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/arguments/settings.hpp"
#include "cli/output/matrix_printer.hpp"
#include "cli/output/writer.hpp"
#include "cli/search/matrix_verifier.hpp"
#include "cli/search/record_parts.hpp"
#include "lode/records.hpp"

namespace lode::command {

struct Matrix {
  Matrix(const Settings& settings, const Plan& plan, const SearcherOptions& options, const Device& device,
         Writer& writer);
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  RecordSearcher searcher;
  MatrixPrinter printer;
  std::optional<MatrixVerifier> verifier;  // refers to searcher
  std::uint64_t part_bytes;                // bytes of text whose lines are searched at a time
};

}  // namespace lode::command
