// Memory of large results and tables: had from the system by all threads at once, because a single one is slow at it, and
// in large pages.
#pragma once

#include <cstddef>
#include <vector>

namespace lode {

/// Has the system provide memory that was allocated and not yet touched in large pages, where it has them: of what is
/// looked up all over, the addresses of small pages are forgotten again and again. A hint; nothing for little memory.
void advise_huge_pages(void* memory, std::size_t bytes);

/// Has the system provide memory that was allocated and not yet touched. A hint: where the system does not take it, the
/// memory comes when it is touched, as always. Large pages are asked for as well.
void populate(void* memory, std::size_t bytes, unsigned threads);

/// As values.resize(size) of a vector that is empty.
template <class Value>
void resize_empty(std::vector<Value>& values, std::size_t size, unsigned threads) {
  values.reserve(size);
  populate(values.data(), size * sizeof(Value), threads);
  values.resize(size);
}

}  // namespace lode
