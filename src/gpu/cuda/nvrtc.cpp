#include "gpu/cuda/nvrtc.hpp"

#include <algorithm>

#include "lode/error.hpp"

namespace lode::gpu::cuda {

Nvrtc::Nvrtc(const std::string& file) : library_(base::DynamicLibrary::open({file.c_str()})) {
  reason_ = find_reason();
}

std::string Nvrtc::find_reason() {
  if (!library_.loaded()) return library_.reason();
  if (!library_.bind("nvrtcGetErrorString", get_error_string_)) missing_ += " nvrtcGetErrorString";
  if (!missing_.empty()) return "it is older than CUDA 11.2 and lacks " + missing_;
  if (const int result = version_.function(&major_, &minor_); result != 0) return describe(version_.name, result);
  int count = 0;
  if (const int result = count_architectures_.function(&count); result != 0)
    return describe(count_architectures_.name, result);
  architectures_.resize(static_cast<std::size_t>(std::max(count, 0)));
  if (const int result = get_architectures_.function(architectures_.data()); result != 0)
    return describe(get_architectures_.name, result);
  return {};
}

std::string Nvrtc::describe(const char* call, int result) const {
  const char* text = get_error_string_(result);
  return std::string(call) + ": " + (text != nullptr ? text : "unknown") + " (" + std::to_string(result) + ")";
}

void Nvrtc::fail(const char* call, int result, const std::string& detail) const {
  throw Error(ErrorKind::device, "NVRTC " + version_text() + ": " + describe(call, result) + detail);
}

std::string Nvrtc::log_of(Program program) const {
  std::size_t bytes = 0;
  if (get_log_size_.function(program, &bytes) != 0 || bytes <= 1) return "(no build log)";
  std::string log(bytes, '\0');
  if (get_log_.function(program, log.data()) != 0) return "(no build log)";
  log.resize(bytes - 1);  // leaves out the NUL
  return log;
}

std::string Nvrtc::compile(const KernelSource& source, const Target& target) const {
  std::vector<std::string> options = {"--gpu-architecture=" + target.name(), "--std=c++17", "-lineinfo"};
  if (source.items_of_unit != 0)
    options.push_back("--maxrregcount=" + std::to_string(nvidia_registers(source.items_of_unit)));
  for (const auto& [name, value] : source.constants) options.push_back("-D" + name + "=" + std::to_string(value));
  std::vector<const char*> option_pointers;
  option_pointers.reserve(options.size());
  for (const std::string& option : options) option_pointers.push_back(option.c_str());

  struct ProgramHolder {
    const Nvrtc& nvrtc;
    Program program = nullptr;
    ~ProgramHolder() {
      if (program != nullptr) nvrtc.destroy_program_.function(&program);
    }
  } holder{*this};
  const std::string file = source.entry + ".cu";
  run(create_program_, &holder.program, source.text.c_str(), file.c_str(), 0, nullptr, nullptr);
  if (const int result =
          compile_program_.function(holder.program, static_cast<int>(option_pointers.size()), option_pointers.data());
      result != 0) {
    std::string detail = "; the kernel " + source.entry + " does not compile with";
    for (const std::string& option : options) detail += " " + option;
    fail(compile_program_.name, result, detail + ":\n" + log_of(holder.program));
  }
  std::size_t bytes = 0;
  run(target.is_ptx ? get_ptx_size_ : get_cubin_size_, holder.program, &bytes);
  std::string binary(bytes, '\0');
  run(target.is_ptx ? get_ptx_ : get_cubin_, holder.program, binary.data());
  if (target.is_ptx && !binary.empty()) binary.pop_back();  // leaves out the NUL
  return binary;
}

NvrtcLibraries::NvrtcLibraries(int driver_major) : driver_major_(driver_major), folders_(find_nvrtc_folders()) {
  for (int major = driver_major; major >= 12; --major) names_.push_back("libnvrtc.so." + std::to_string(major));
  names_.emplace_back("libnvrtc.so.11.2");  // the name that all CUDA 11 have from 11.2 on
  names_.emplace_back("libnvrtc.so");
  for (const std::string& name : names_) {
    files_.push_back(name);
    for (const std::filesystem::path& folder : folders_) {
      std::error_code error;
      if (std::filesystem::exists(folder / name, error)) files_.push_back((folder / name).string());
    }
  }
}

std::string NvrtcLibraries::describe_search() const {
  std::string text = "tried";
  for (const std::string& name : names_) text += (&name == &names_.front() ? " " : ", ") + name;
  text += " in the loader's folders";
  for (const std::filesystem::path& folder : folders_) text += ", " + folder.string();
  return text + "; install the CUDA toolkit, or pip install " +
         (driver_major_ >= 13 ? std::string("nvidia-cuda-nvrtc")
                              : "nvidia-cuda-nvrtc-cu" + std::to_string(driver_major_));
}

NvrtcChoice NvrtcLibraries::find(int architecture) {
  NvrtcChoice translated;
  std::string failures;
  for (std::size_t index = 0; index < files_.size(); ++index) {
    if (index == opened_.size()) opened_.push_back(std::make_shared<const Nvrtc>(files_[index]));
    const std::shared_ptr<const Nvrtc>& nvrtc = opened_[index];
    if (!nvrtc->reason().empty()) {
      // The loader need not know a name, so that is not reported. A file that exists should load.
      if (files_[index].find('/') != std::string::npos) failures += "; " + files_[index] + ": " + nvrtc->reason();
      continue;
    }
    if (nvrtc->major() > driver_major_) {
      failures += "; " + files_[index] + " is NVRTC " + nvrtc->version_text() + ", newer than the driver";
      continue;
    }
    const std::vector<int>& known = nvrtc->architectures();
    if (std::find(known.begin(), known.end(), architecture) != known.end()) return {nvrtc, {architecture, false}, {}};
    int newest = 0;
    for (const int candidate : known)
      if (candidate < architecture) newest = std::max(newest, candidate);
    if (newest == 0) {
      failures += "; " + files_[index] + ": NVRTC " + nvrtc->version_text() + " knows no device as old as this";
    } else if (translated.nvrtc == nullptr) {
      translated = {nvrtc, {newest, true}, {}};
    }
  }
  if (translated.nvrtc == nullptr)
    translated.reason = "no NVRTC, the CUDA compiler, serves it: " + describe_search() + failures;
  return translated;
}

}  // namespace lode::gpu::cuda
