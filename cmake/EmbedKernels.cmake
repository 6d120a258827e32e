# Writes the kernels' source into a C++ file: cmake -DFOLDER=src/kernels -DOUTPUT=FILE -P EmbedKernels.cmake
# Includes among them are taken out; gpu/kernel_sources.cpp puts the headers in front.
file(GLOB files ${FOLDER}/*.cl ${FOLDER}/portable.h ${FOLDER}/abi.h ${FOLDER}/common.h)
list(SORT files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)#include \"[^\n]*" "\\1" text "${text}")
  string(APPEND rows "    {\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
set(made
    "#include \"gpu/kernel_sources.hpp\"\n\nnamespace lode::gpu {\n\nstd::span<const KernelFile> kernel_files() {\n  static constexpr KernelFile files[] = {\n${rows}  };\n  return files;\n}\n\n}  // namespace lode::gpu\n"
)
file(WRITE ${OUTPUT} "${made}")
