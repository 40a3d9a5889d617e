# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The options of the suite's commands, as their --help tells them.
_gst_vision_command () {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  [[ $word == -* ]] || return
  mapfile -t COMPREPLY < <(compgen -W \
    "--help $("$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*')" -- "$word")
}

complete -o default -F _gst_vision_command \
  vision-calibrate vision-digest vision-live vision-model vision-pose-eval \
  vision-record vision-replay vision-train
