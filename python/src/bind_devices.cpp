// Binds devices, texts that are resident on them, and the lists of what this build and this machine have.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "forks.hpp"
#include "interruptible.hpp"
#include "lode/device.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "lode/searcher.hpp"
#include "lode/version.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

Device open(const std::string& name) {
  if (name != "cpu" && name != "auto") note_gpus();
  std::optional<Device> device;
  run_without_gil(true, [&](std::stop_token) { device = open_device(name); });
  return *device;
}

nb::list list_all_devices() {
  note_gpus();
  std::vector<DeviceInfo> devices;
  run_without_gil(true, [&](std::stop_token) { devices = list_devices(); });
  nb::list rows;
  for (const DeviceInfo& device : devices)
    rows.append(nb::make_tuple(device.name, device.description, device.available, device.reason, device.is_gpu));
  return rows;
}

nb::list list_all_algorithms() {
  nb::list rows;
  for (const AlgorithmInfo& row : list_algorithms()) rows.append(nb::make_tuple(row.name, row.summary, row.serves));
  return rows;
}

void upload(ResidentHolder* self, nb::handle source, nb::handle given_device, nb::handle given_threads) {
  const unsigned threads = threads_of(given_threads);
  const Device device = device_here(device_of(given_device));
  const nb::object text = nb::module_::import_("lode._device_arrays").attr("text_of")(source, device);
  if (nb::isinstance<ResidentHolder>(text)) {
    if (text.is(source)) throw Error(ErrorKind::unsupported, "the text is resident already");
    new (self) ResidentHolder(nb::cast<const ResidentHolder&>(text));
    return;
  }
  const HeldText held(text);
  std::optional<ResidentText> resident;
  run_without_gil(true, [&](std::stop_token) { resident.emplace(device, held.text(), threads_here(threads)); });
  new (self) ResidentHolder{std::move(*resident), {}};
}

// Waits in the caller's thread, because each thread may have a default stream of its own.
void wait_for_stream(const Device& device, std::uintptr_t stream) {
  const Device here = device_here(device);
  const nb::gil_scoped_release release;
  ResidentText::wait_for_stream(here, stream);
}

ResidentHolder adopt(const Device& device, std::uintptr_t pointer, std::uint64_t size, nb::object owner) {
  const Device here = device_here(device);
  std::optional<ResidentText> resident;
  run_without_gil(true, [&](std::stop_token) { resident = ResidentText::adopt(here, pointer, size); });
  return {std::move(*resident), std::move(owner)};
}

// The contents of a DLPack capsule: (address, shape, strides in elements, kind of elements as NumPy names it, bits of
// an element, whether it is read-only, owner of the memory).
nb::tuple inspect_dlpack(nb::handle capsule) {
  nb::ndarray<> writable;
  nb::ndarray<nb::ro> readable;
  const bool is_read_only = !nb::try_cast(capsule, writable);
  if (is_read_only) readable = nb::cast<nb::ndarray<nb::ro>>(capsule);
  const auto inspect = [&](const auto& array) {
    nb::list shape;
    nb::list strides;
    for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
      shape.append(array.shape(axis));
      strides.append(array.stride(axis));
    }
    constexpr std::string_view kinds = "iuf";
    const auto code = static_cast<std::size_t>(array.dtype().code);
    const std::string kind(1, code < kinds.size() ? kinds[code] : 'V');
    return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), shape, strides, kind,
                          array.dtype().bits * array.dtype().lanes, is_read_only,
                          nb::cast(array, nb::rv_policy::reference));
  };
  return is_read_only ? inspect(readable) : inspect(writable);
}

}  // namespace

Device device_of(nb::handle given) {
  if (nb::isinstance<Device>(given)) return nb::cast<Device>(given);
  return nb::cast<Device>(nb::module_::import_("lode._devices").attr("open_device")(given));
}

void bind_devices(nb::module_& module) {
  nb::class_<Device>(module, "Device", "A device on which searches run; see lode.open_device.")
      .def_prop_ro("name", &Device::name, "The name, as lode.open_device takes it.")
      .def("__repr__", [](const Device& device) { return "<lode.Device " + device.name() + ">"; });
  module.def("open_device", &open, "name"_a, "See lode.open_device, which keeps what it has opened.");
  module.def("list_devices", &list_all_devices, nb::sig("def list_devices() -> list[tuple[str, str, bool, str, bool]]"),
             "Rows of lode.devices().");
  module.def("list_algorithms", &list_all_algorithms, nb::sig("def list_algorithms() -> list[tuple[str, str, str]]"),
             "Rows of lode.algorithms().");
  module.def("cpu_instruction_sets", &cpu_instruction_sets,
             "The SIMD instruction sets that this build carries and this machine runs, best first.");
  module.def("version", &version, "The version of the library: '0.2.0'.");

  module.def("wait_for_stream", &wait_for_stream, "device"_a, "stream"_a, "Waits for a CUDA stream.");
  module.def("adopt", &adopt, "device"_a, "pointer"_a, "size"_a, "owner"_a,
             "A ResidentText in memory of the device, which `owner` keeps.");
  module.def("inspect_dlpack", &inspect_dlpack, "capsule"_a,
             nb::sig("def inspect_dlpack(capsule: object) -> tuple[int, list[int], list[int], str, int, bool, object]"),
             "What a DLPack capsule says of its array.");

  nb::class_<ResidentHolder>(module, "ResidentText",
                             R"(A text in the memory of a GPU, copied there once and searched many times.

text     bytes, str, a buffer, or a path (os.PathLike); or an array of bytes in the memory of that device, with
         __cuda_array_interface__ or __dlpack__ (CuPy, PyTorch …), which is searched where it lies, without a copy: do
         not change it while this lives
device   'cuda', 'cuda:all', 'opencl:1' …, or what lode.open_device gave
threads  how many threads copy; 0 means all cores

Searchers of the same device and of 'auto' take it. Raises lode.Error of kind 'unsupported' for the CPU, 'device' if the
device is not there or has no room, 'invalid_argument' if an array lies elsewhere. Waits for the work on the array's
stream. len() gives its bytes. Immutable; any number of threads may search it.)")
      .def("__init__", &upload, "text"_a.none(), "device"_a.none(), nb::kw_only(), nb::arg("threads").none() = 0,
           nb::sig("def __init__(self, text: object, device: str | Device, *, threads: int = 0) -> None"))
      .def("__len__", [](const ResidentHolder& held) { return held.text.size(); });
}

}  // namespace lode::python
