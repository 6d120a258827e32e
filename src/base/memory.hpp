// Memory of large results: had from the system by all threads at once, because a single one is slow at it.
#pragma once

#include <cstddef>
#include <vector>

namespace lode {

/// Has the system provide memory that was allocated and not yet touched. A hint: where the system does not take it, the
/// memory comes when it is touched, as always.
void populate(void* memory, std::size_t bytes, unsigned threads);

/// As values.resize(size) of a vector that is empty.
template <class Value>
void resize_empty(std::vector<Value>& values, std::size_t size, unsigned threads) {
  values.reserve(size);
  populate(values.data(), size * sizeof(Value), threads);
  values.resize(size);
}

}  // namespace lode
