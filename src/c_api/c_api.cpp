// The functions of the C API that do not search: errors, stopping, pattern sets, plans, lists.
#include "c_api/c_api.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

namespace lode::c_api {

lode_status status_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_argument: return LODE_INVALID_ARGUMENT;
    case ErrorKind::invalid_pattern: return LODE_INVALID_PATTERN;
    case ErrorKind::unsupported: return LODE_UNSUPPORTED;
    case ErrorKind::limit: return LODE_LIMIT;
    case ErrorKind::damaged_plan: return LODE_DAMAGED_PLAN;
    case ErrorKind::input_output: return LODE_INPUT_OUTPUT;
    case ErrorKind::device: return LODE_DEVICE;
    case ErrorKind::cancelled: return LODE_CANCELLED;
  }
  return LODE_INTERNAL;
}

lode_status fail(lode_error** error, lode_status status, const char* message) noexcept {
  if (error == nullptr) return status;
  // If there is no memory for the object, the caller gets NULL and the status alone. The functions below that read
  // errors accept NULL.
  try {
    *error = new lode_error{status, message};
  } catch (...) {
    *error = nullptr;
  }
  return status;
}

}  // namespace lode::c_api

using namespace lode::c_api;
using lode::ErrorKind;

namespace {

lode::PatternFileOptions file_options_of(const lode_pattern_file_options* options) {
  const auto given = known_options(options, lode_pattern_file_options LODE_PATTERN_FILE_OPTIONS_INIT);
  require(given.format <= LODE_PATTERN_BY_NAME, "format is not a lode_pattern_format");
  lode::PatternFileOptions translated;
  translated.format = static_cast<lode::PatternFormat>(given.format);
  translated.ignore_case = given.ignore_case != 0;
  translated.strip_carriage_return = given.strip_carriage_return != 0;
  if (given.forms != nullptr) translated.forms = lode::Forms(given.forms);
  if (given.warning != nullptr) {
    translated.warning = [given](const std::string& message) { given.warning(message.c_str(), given.warning_context); };
  }
  return translated;
}

}  // namespace

lode_status lode_error_status(const lode_error* error) { return error == nullptr ? LODE_OUT_OF_MEMORY : error->status; }

const char* lode_error_message(const lode_error* error) {
  return error == nullptr ? "the system has no memory left" : error->message.c_str();
}

void lode_error_destroy(lode_error* error) { delete error; }

const char* lode_status_name(lode_status status) {
  switch (status) {
    case LODE_OK: return "ok";
    case LODE_OUT_OF_MEMORY: return "out_of_memory";
    case LODE_INTERNAL: return "internal";
    case LODE_INVALID_ARGUMENT: return name_of(ErrorKind::invalid_argument);
    case LODE_INVALID_PATTERN: return name_of(ErrorKind::invalid_pattern);
    case LODE_UNSUPPORTED: return name_of(ErrorKind::unsupported);
    case LODE_LIMIT: return name_of(ErrorKind::limit);
    case LODE_DAMAGED_PLAN: return name_of(ErrorKind::damaged_plan);
    case LODE_INPUT_OUTPUT: return name_of(ErrorKind::input_output);
    case LODE_DEVICE: return name_of(ErrorKind::device);
    case LODE_CANCELLED: return name_of(ErrorKind::cancelled);
  }
  return "unknown";
}

const char* lode_version(void) { return lode::version(); }

lode_status lode_stop_create(lode_stop** stop, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(stop);
    *stop = new lode_stop;
  });
}

void lode_stop_request(lode_stop* stop) {
  if (stop != nullptr) stop->source.request_stop();
}

void lode_stop_destroy(lode_stop* stop) { delete stop; }

lode_status lode_pattern_set_create(lode_pattern_set** patterns, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns);
    *patterns = new lode_pattern_set;
  });
}

void lode_pattern_set_destroy(lode_pattern_set* patterns) { delete patterns; }

lode_status lode_pattern_set_add(lode_pattern_set* patterns, const void* bytes, size_t size_bytes, int ignore_case,
                                 const char* label, uint32_t* id, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns);
    const std::uint32_t added = patterns->patterns.add(view(bytes, size_bytes), ignore_case != 0,
                                                       label == nullptr ? std::string_view{} : label);
    if (id != nullptr) *id = added;
  });
}

const char* lode_form_name(uint32_t form) { return lode::form_name(static_cast<lode::Form>(form)).data(); }

lode_status lode_pattern_set_set_forms(lode_pattern_set* patterns, uint32_t id, const char* forms, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns, forms);
    require(id < patterns->patterns.size(), "the set has no pattern with this id");
    patterns->patterns.set_forms(id, lode::Forms(forms));
  });
}

lode_status lode_pattern_set_set_replacement(lode_pattern_set* patterns, uint32_t id, const void* replacement,
                                             size_t size_bytes, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns);
    require(id < patterns->patterns.size(), "the set has no pattern with this id");
    patterns->patterns.set_replacement(id, view(replacement, size_bytes));
  });
}

lode_status lode_pattern_set_add_file(lode_pattern_set* patterns, const char* path,
                                      const lode_pattern_file_options* options, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns, path);
    lode::append_pattern_file(patterns->patterns, path, file_options_of(options));
  });
}

lode_status lode_pattern_set_add_text(lode_pattern_set* patterns, const void* content, size_t size_bytes,
                                      const char* name, const lode_pattern_file_options* options, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns, name);
    lode::append_pattern_text(patterns->patterns, view(content, size_bytes), name, file_options_of(options));
  });
}

uint32_t lode_pattern_set_size(const lode_pattern_set* patterns) {
  return patterns == nullptr ? 0 : patterns->patterns.size();
}

lode_status lode_plan_build(const lode_pattern_set* patterns, const lode_plan_options* options, lode_plan** plan,
                            lode_error** error) {
  return guarded(error, [&] {
    require_pointers(patterns, plan);
    const auto given = known_options(options, lode_plan_options LODE_PLAN_OPTIONS_INIT);
    lode::PlanOptions plan_options;
    plan_options.text_sample = view(given.text_sample, given.text_sample_bytes);
    plan_options.threads = given.threads;
    plan_options.stop = token_of(given.stop);
    plan_options.progress = progress_of(given.progress, given.progress_context);
    *plan = new lode_plan{lode::Plan::build(patterns->patterns, plan_options)};
  });
}

void lode_plan_destroy(lode_plan* plan) { delete plan; }

lode_status lode_plan_save(const lode_plan* plan, const char* path, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, path);
    plan->plan.save(path);
  });
}

lode_status lode_plan_load(const char* path, lode_plan** plan, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(path, plan);
    *plan = new lode_plan{lode::Plan::load(path)};
  });
}

lode_status lode_plan_serialize(const lode_plan* plan, void** blob, size_t* size_bytes, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, blob, size_bytes);
    const std::string bytes = plan->plan.serialize();
    void* copy = std::malloc(std::max<std::size_t>(bytes.size(), 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::copy(bytes.begin(), bytes.end(), static_cast<char*>(copy));
    *blob = copy;
    *size_bytes = bytes.size();
  });
}

lode_status lode_plan_deserialize(const void* blob, size_t size_bytes, lode_plan** plan, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan);
    *plan = new lode_plan{lode::Plan::deserialize(view(blob, size_bytes))};
  });
}

void lode_blob_destroy(void* blob) { std::free(blob); }

uint32_t lode_plan_pattern_count(const lode_plan* plan) { return plan == nullptr ? 0 : plan->plan.patterns().size(); }

uint32_t lode_plan_distinct_count(const lode_plan* plan) { return plan == nullptr ? 0 : plan->plan.distinct_count(); }

uint64_t lode_plan_memory_bytes(const lode_plan* plan) { return plan == nullptr ? 0 : plan->plan.memory_bytes(); }

lode_status lode_plan_pattern(const lode_plan* plan, uint32_t id, const void** bytes, size_t* size_bytes,
                              lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, bytes, size_bytes);
    require(id < plan->plan.patterns().size(), "the plan has no pattern with this id");
    const std::string_view pattern = plan->plan.patterns()[id];
    *bytes = pattern.data();
    *size_bytes = pattern.size();
  });
}

lode_status lode_plan_label(const lode_plan* plan, uint32_t id, const char** label, size_t* size_bytes,
                            lode_error** error) {
  return guarded(error, [&] {
    require_pointers(plan, label, size_bytes);
    require(id < plan->plan.patterns().size(), "the plan has no pattern with this id");
    const std::string_view text = plan->plan.patterns().label(id);
    *label = text.empty() ? "" : text.data();
    *size_bytes = text.size();
  });
}

lode_status lode_list_algorithms(lode_list** list, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(list);
    auto new_list = std::make_unique<lode_list>();
    for (lode::AlgorithmInfo& info : lode::list_algorithms()) {
      new_list->entries.push_back({std::move(info.name), std::move(info.summary), std::move(info.serves), true});
    }
    *list = new_list.release();
  });
}

lode_status lode_list_devices(lode_list** list, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(list);
    auto new_list = std::make_unique<lode_list>();
    for (lode::DeviceInfo& info : lode::list_devices()) {
      new_list->entries.push_back(
          {std::move(info.name), std::move(info.description), std::move(info.reason), info.available});
    }
    *list = new_list.release();
  });
}

lode_status lode_list_instruction_sets(lode_list** list, lode_error** error) {
  return guarded(error, [&] {
    require_pointers(list);
    auto new_list = std::make_unique<lode_list>();
    for (std::string& name : lode::cpu_instruction_sets()) {
      new_list->entries.push_back({std::move(name), {}, {}, true});
    }
    *list = new_list.release();
  });
}

size_t lode_list_size(const lode_list* list) { return list == nullptr ? 0 : list->entries.size(); }

const char* lode_list_name(const lode_list* list, size_t index) {
  return index < lode_list_size(list) ? list->entries[index].name.c_str() : "";
}

const char* lode_list_description(const lode_list* list, size_t index) {
  return index < lode_list_size(list) ? list->entries[index].description.c_str() : "";
}

const char* lode_list_note(const lode_list* list, size_t index) {
  return index < lode_list_size(list) ? list->entries[index].note.c_str() : "";
}

int lode_list_available(const lode_list* list, size_t index) {
  return index < lode_list_size(list) && list->entries[index].available ? 1 : 0;
}

void lode_list_destroy(lode_list* list) { delete list; }
