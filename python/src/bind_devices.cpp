// Devices, texts that are resident on them, and what this build and machine have.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "forks.hpp"
#include "interruptible.hpp"
#include "lode/device.hpp"
#include "lode/resident_text.hpp"
#include "lode/searcher.hpp"
#include "lode/version.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

Device open(const std::string& name) {
  std::optional<Device> device;
  run_without_gil(true, [&](std::stop_token) { device = open_device(name); });
  return *device;
}

nb::list list_all_devices() {
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

// A name is a device that the package opens once: the searcher of the same name then has the same one.
Device device_of(nb::handle given) {
  if (nb::isinstance<Device>(given)) return nb::cast<Device>(given);
  return nb::cast<Device>(nb::module_::import_("lode._devices").attr("open_device")(given));
}

void upload(ResidentText* self, nb::handle text, nb::handle given_device, unsigned threads) {
  const Device device = device_of(given_device);
  const HeldText held(text);
  std::optional<ResidentText> resident;
  run_without_gil(true, [&](std::stop_token) { resident.emplace(device, held.text(), threads_here(threads)); });
  new (self) ResidentText(std::move(*resident));
}

}  // namespace

void bind_devices(nb::module_& module) {
  nb::class_<Device>(module, "Device", "Where a search runs; see lode.open_device.")
      .def_prop_ro("name", &Device::name, "As lode.open_device takes it.")
      .def("__repr__", [](const Device& device) { return "<lode.Device " + device.name() + ">"; });
  module.def("open_device", &open, "name"_a, "See lode.open_device, which keeps what it has opened.");
  module.def("list_devices", &list_all_devices, nb::sig("def list_devices() -> list[tuple[str, str, bool, str, bool]]"),
             "Rows of lode.devices().");
  module.def("list_algorithms", &list_all_algorithms, nb::sig("def list_algorithms() -> list[tuple[str, str, str]]"),
             "Rows of lode.algorithms().");
  module.def("cpu_instruction_sets", &cpu_instruction_sets,
             "The SIMD instruction sets that this build carries and this machine runs, best first.");
  module.def("version", &version, "The version of the library: '0.1.0'.");

  nb::class_<ResidentText>(module, "ResidentText",
                           R"(A text in the memory of a GPU, copied there once and searched many times.

text     bytes, str, a buffer, or a path (os.PathLike)
device   'cuda', 'cuda:all', 'opencl:1' …, or what lode.open_device gave
threads  that copy; 0: all cores

For searchers of the same device and of 'auto'. Raises lode.Error of kind 'unsupported' for the CPU, 'device' where the
device is not there or has no room. len() gives its bytes. Immutable; any number of threads may search it.)")
      .def("__init__", &upload, "text"_a, "device"_a, nb::kw_only(), "threads"_a = 0,
           nb::sig("def __init__(self, text: bytes | str | os.PathLike[str] | typing_extensions.Buffer, device: str | "
                   "Device, *, threads: int = 0) -> None"))
      .def("__len__", &ResidentText::size);
}

}  // namespace lode::python
