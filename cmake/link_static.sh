#!/bin/sh
# Runs a link command with every shared library for which there is a static one replaced by that.
# CMake's imported targets of Debian's packages name the shared ones by their full path.
for argument do
  shift
  case $argument in
    /*.so | /*.so.*)
      static=${argument%%.so*}.a
      if [ -e "$static" ]; then argument=$static; fi
      ;;
  esac
  set -- "$@" "$argument"
done
exec "$@"
