// Memory for large results and tables. All threads at once have the system provide it, because a single one is slow at
// it, and in large pages.
#pragma once

#include <cstddef>
#include <vector>

namespace lode {

/// Has the system provide memory in large pages, if it has them. The memory was allocated and not yet touched. With
/// small pages, what is looked up all over memory needs more addresses than a processor remembers. This is a hint, and
/// does nothing for little memory.
void advise_huge_pages(void* memory, std::size_t bytes);

/// Has the system provide memory that was allocated and not yet touched, in large pages if it has them. This is a hint:
/// where the system does not take it, the memory comes when it is touched, as always.
void populate(void* memory, std::size_t bytes, unsigned threads);

/// Does values.resize(size) for a vector that is empty, with memory from populate().
template <class Value>
void resize_empty(std::vector<Value>& values, std::size_t size, unsigned threads) {
  values.reserve(size);
  populate(values.data(), size * sizeof(Value), threads);
  values.resize(size);
}

}  // namespace lode
