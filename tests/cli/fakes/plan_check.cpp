// Makes a command accept a plan whose windows are wrong, so that `filter` finds other matches than there are. The
// linker replaces PlanCheck::windows_are_sound() by this.

#include "plan/plan_check.hpp"

extern "C" bool __wrap__ZNK4lode9PlanCheck17windows_are_soundEv(const lode::PlanCheck*) { return true; }
