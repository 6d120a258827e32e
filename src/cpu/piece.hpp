// Piece: a part of a text that lies in memory and is scanned at once.
//
// Its first and last byte are those of the text, or lie outside everything that conditions look at.
#pragma once

#include <cstdint>

namespace lode {

struct Piece {
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0;  // readable bytes at data
  std::uint64_t base = 0;  // offset of data[0] in the text
};

}  // namespace lode
