// These are the searches that a ViewSearch uses, by kind of device.
#pragma once

#include <memory>

#include "search/auto_search.hpp"
#include "search/cpu_search.hpp"
#include "search/gpu_search.hpp"
#include "search/view_search.hpp"

namespace lode {

inline ViewSearch::ChooseEngine view_on_gpu(std::shared_ptr<const GpuSearch> of_text,
                                            std::shared_ptr<const GpuSearch> of_blocks) {
  return [of_text, of_blocks](const Text&, std::uint64_t, CallReport&) {
    return ViewSearch::Engine{of_text, of_blocks, ViewSearch::gpu_block_bytes, ViewSearch::gpu_stretch_bytes, true};
  };
}

inline ViewSearch::ChooseEngine view_on_cpu(std::shared_ptr<const CpuSearch> of_text,
                                            const std::shared_ptr<const CpuSearch>& of_blocks) {
  return [of_text, alone = of_blocks->with(of_blocks->setup().options, 1)](const Text&, std::uint64_t, CallReport&) {
    return ViewSearch::Engine{of_text, alone};
  };
}

/// The device is chosen by the size of the whole text.
inline ViewSearch::ChooseEngine view_on_auto(const std::shared_ptr<const AutoSearch>& of_text,
                                             const std::shared_ptr<const AutoSearch>& of_blocks) {
  return [of_text, of_blocks, on_cpu = view_on_cpu(of_text->cpu(), of_blocks->cpu())](
             const Text& text, std::uint64_t bytes, CallReport& report) {
    if (text.resident() != nullptr) return ViewSearch::Engine{of_text, on_cpu(text, bytes, report).of_blocks};
    if (!of_text->wants_gpu(bytes, report)) return on_cpu(text, bytes, report);
    return ViewSearch::Engine{of_text->on_gpu(), of_blocks->on_gpu(), ViewSearch::gpu_block_bytes,
                              ViewSearch::gpu_stretch_bytes, true};
  };
}

}  // namespace lode
