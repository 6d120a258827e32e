#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "gpu/cuda/nvrtc.hpp"

namespace lode::gpu::cuda {
namespace {

namespace files = std::filesystem;

// The absolute paths in a variable. Relative ones are left out, because their meaning changes with the current folder.
std::vector<files::path> read_paths(const char* variable) {
  std::vector<files::path> paths;
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  for (std::string_view rest = value != nullptr ? value : ""; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    if (entry.starts_with('/')) paths.emplace_back(entry);
  }
  return paths;
}

class Folders {
 public:
  void add(const files::path& folder) {
    std::error_code error;
    const files::path real = files::canonical(folder, error);
    if (error || !files::is_directory(real, error)) return;
    if (std::find(folders_.begin(), folders_.end(), real) == folders_.end()) folders_.push_back(real);
  }

  void add_toolkit(const files::path& home) {
    add(home / "lib64");
    add(home / "lib");
    for (const files::path& target : list(home / "targets", "")) add(target / "lib");
  }

  // Adds the folders of pip's packages: nvidia/cu13/lib, nvidia/cuda_nvrtc/lib.
  void add_packages(const files::path& site) {
    for (const files::path& package : list(site / "nvidia", "cu")) {
      const std::string name = package.filename().string();
      if (name == "cuda_nvrtc" || name.find_first_not_of("0123456789", 2) == std::string::npos) add(package / "lib");
    }
  }

  // Adds the packages of a Python installation: PREFIX/lib/python3.11/site-packages and such.
  void add_python(const files::path& prefix) {
    for (const char* lib : {"lib", "lib64", "local/lib"}) {
      for (const files::path& version : list(prefix / lib, "python3")) {
        add_packages(version / "site-packages");
        add_packages(version / "dist-packages");
      }
    }
  }

  // Lists the subfolders whose names begin with `prefix`, the last in the alphabet first, so that newer versions come
  // first.
  static std::vector<files::path> list(const files::path& folder, std::string_view prefix) {
    std::vector<files::path> found;
    std::error_code error;
    for (files::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().filename().string().starts_with(prefix)) found.push_back(entry->path());
    std::sort(found.rbegin(), found.rend());
    return found;
  }

  std::vector<files::path> take() { return std::move(folders_); }

 private:
  std::vector<files::path> folders_;
};

}  // namespace

std::vector<files::path> find_nvrtc_folders() {
  Folders folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    for (const files::path& home : read_paths(variable)) folders.add_toolkit(home);
  for (const char* place : {"/usr/local", "/opt"})
    for (const files::path& home : Folders::list(place, "cuda")) folders.add_toolkit(home);

  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    for (const files::path& prefix : read_paths(variable)) {
      folders.add_python(prefix);
      folders.add_toolkit(prefix);
    }
  }
  for (const files::path& site : read_paths("PYTHONPATH")) folders.add_packages(site);
  for (const files::path& commands : read_paths("PATH")) folders.add_python(commands.parent_path());
  for (const files::path& home : read_paths("HOME")) {
    folders.add_python(home / ".local");
    for (const files::path& version : Folders::list(home / ".pyenv/versions", "3")) folders.add_python(version);
  }
  for (const char* prefix : {"/usr/local", "/usr", "/opt/conda"}) folders.add_python(prefix);
  return folders.take();
}

}  // namespace lode::gpu::cuda
