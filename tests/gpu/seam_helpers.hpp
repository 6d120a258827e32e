// Helps to run one kernel through the seam, without the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/seam.hpp"

namespace lode::gpu::tests {

/// Makes a buffer with these values, which are there when the call returns.
template <class Value>
std::unique_ptr<Buffer> put(Runtime& runtime, const std::vector<Value>& values) {
  std::unique_ptr<Buffer> buffer = runtime.make_buffer(values.size() * sizeof(Value));
  const std::unique_ptr<Queue> queue = runtime.make_queue();
  queue->write(*buffer, 0, values.data(), values.size() * sizeof(Value));
  queue->wait();
  return buffer;
}

/// The first `count` values of a buffer.
template <class Value>
std::vector<Value> get(Runtime& runtime, const Buffer& buffer, std::size_t count) {
  std::vector<Value> values(count);
  const std::unique_ptr<Queue> queue = runtime.make_queue();
  if (count != 0) queue->read(buffer, 0, values.data(), count * sizeof(Value));
  queue->wait();
  return values;
}

inline void run(Runtime& runtime, const KernelSource& source, const Launch& launch,
                const std::vector<Argument>& arguments) {
  const std::unique_ptr<Kernel> kernel = runtime.load_kernel(source, runtime.compile(source));
  const std::unique_ptr<Queue> queue = runtime.make_queue();
  queue->launch(*kernel, launch, arguments);
  queue->wait();
}

}  // namespace lode::gpu::tests
