#!/bin/sh
# The shared library must call nothing that changes what the program does with signals. no_signal_handlers.sh LIBRARY
set -eu
needed=$(nm -D --undefined-only "$1")
case $needed in *pthread_*) ;; *) echo "these are no names of what it needs: $needed" >&2 && exit 1 ;; esac
if echo "$needed" | grep -E ' (sigaction|__sigaction|signal|sigset|sigprocmask|pthread_sigmask)(@|$)'; then
  echo "the library handles signals" >&2
  exit 1
fi
