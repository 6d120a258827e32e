// Nvrtc: NVIDIA's compiler as a library. NvrtcLibraries: where it is found.
//
// NVRTC comes with the CUDA toolkit or from pip. A machine may have several, and none where the dynamic loader looks.
// The first one that the driver can serve and that compiles for the device itself is taken; newer names are tried
// first. If none knows the device, the first one that can make PTX for it is taken, and the driver translates the PTX.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dynamic_library.hpp"
#include "gpu/cuda/library_call.hpp"
#include "gpu/seam.hpp"

namespace lode::gpu::cuda {

/// The machine that a kernel is compiled for.
struct Target {
  int architecture = 0;  // 90 for compute capability 9.0
  bool is_ptx = false;   // true: PTX for this and newer devices; false: machine code for this one
  std::string name() const { return (is_ptx ? "compute_" : "sm_") + std::to_string(architecture); }
};

/// One NVRTC. Immutable once loaded; safe to use from several threads.
class Nvrtc {
  using Program = struct ProgramObject*;
  base::DynamicLibrary library_;
  std::string missing_;

  template <class... Parameters>
  struct Call : LibraryCall<Parameters...> {
    Call(Nvrtc& nvrtc, const char* symbol) : LibraryCall<Parameters...>(nvrtc.library_, nvrtc.missing_, symbol) {}
  };

 public:
  /// `file`: a name for the loader, or a path.
  explicit Nvrtc(const std::string& file);
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  /// Why it cannot be used; empty if it can.
  const std::string& reason() const noexcept { return reason_; }
  int major() const noexcept { return major_; }
  std::string version_text() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  /// The architectures that it makes machine code for: 90 is compute capability 9.0.
  const std::vector<int>& architectures() const noexcept { return architectures_; }

  /// Returns machine code, or PTX without the NUL behind it. Throws Error(device) with the build log.
  std::string compile(const KernelSource& source, const Target& target) const;

 private:
  std::string find_reason();
  std::string log_of(Program program) const;
  template <class... Parameters, class... Arguments>
  void run(const LibraryCall<Parameters...>& call, Arguments... arguments) const {
    if (const int result = call.function(arguments...); result != 0) fail(call.name, result);
  }
  std::string describe(const char* call, int result) const;
  [[noreturn]] void fail(const char* call, int result, const std::string& detail = {}) const;

  Call<int*, int*> version_{*this, "nvrtcVersion"};
  Call<int*> count_architectures_{*this, "nvrtcGetNumSupportedArchs"};
  Call<int*> get_architectures_{*this, "nvrtcGetSupportedArchs"};
  Call<Program*, const char*, const char*, int, const char* const*, const char* const*> create_program_{
      *this, "nvrtcCreateProgram"};
  Call<Program*> destroy_program_{*this, "nvrtcDestroyProgram"};
  Call<Program, int, const char* const*> compile_program_{*this, "nvrtcCompileProgram"};
  Call<Program, std::size_t*> get_log_size_{*this, "nvrtcGetProgramLogSize"};
  Call<Program, char*> get_log_{*this, "nvrtcGetProgramLog"};
  Call<Program, std::size_t*> get_cubin_size_{*this, "nvrtcGetCUBINSize"};
  Call<Program, char*> get_cubin_{*this, "nvrtcGetCUBIN"};
  Call<Program, std::size_t*> get_ptx_size_{*this, "nvrtcGetPTXSize"};
  Call<Program, char*> get_ptx_{*this, "nvrtcGetPTX"};
  const char* (*get_error_string_)(int) = nullptr;

  int major_ = 0;
  int minor_ = 0;
  std::vector<int> architectures_;
  std::string reason_;
};

/// The folders beside the loader's own that may hold NVRTC: those of CUDA_HOME and CUDA_PATH, of toolkits in /usr/local
/// and /opt, and of pip's packages in the Python environments that VIRTUAL_ENV, CONDA_PREFIX, PYTHONPATH, PATH and the
/// usual places lead to. All exist; none stands twice.
std::vector<std::filesystem::path> find_nvrtc_folders();

/// An NVRTC for a device, and what to compile for; or the reason why there is none.
struct NvrtcChoice {
  std::shared_ptr<const Nvrtc> nvrtc;
  Target target;
  std::string reason;
};

/// Every NVRTC of the machine that the driver may serve, loaded only as far as needed. Used by one thread at a time.
class NvrtcLibraries {
 public:
  /// `driver_major`: the newest CUDA that the driver knows; machine code of newer compilers it may not load.
  explicit NvrtcLibraries(int driver_major);
  /// `architecture`: the device's; 90 is compute capability 9.0.
  NvrtcChoice find(int architecture);

 private:
  std::string describe_search() const;

  int driver_major_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::string> files_;                    // names and paths to try, best first
  std::vector<std::shared_ptr<const Nvrtc>> opened_;  // the first ones of files_, in the same order
};

}  // namespace lode::gpu::cuda
