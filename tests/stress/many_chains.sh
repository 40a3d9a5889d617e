#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plays rounds of chains in several processes at once, each of which plays a part
# of the rounds of one seed.
#
#   tests/stress/many_chains.sh BUILD PROCESSES ROUNDS [options of chains]
#
# BUILD may be a build with sanitizers.  A process waits for a part of its time, so
# that two processes a processor are not too many.  Each of them has two processors,
# since loops have a thread for each.  What the processes print stays
# in BUILD/many_chains/; the script prints their findings and reports, and fails
# where one of them fails.  Options of a sanitizer that are in the environment come
# after those of this script.  A script that SIGTERM or SIGINT ends lets no further
# round begin, and prints what was played until then.
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1") processes=$2 rounds=$3
shift 3
logs=$build/many_chains
rm -rf "$logs"
mkdir "$logs"

# The scanner of plug-ins has no sanitizer, so it looks only at those of the
# system; ours is then read in each process itself.
export GST_REGISTRY_1_0=$logs/registry
gst-inspect-1.0 >/dev/null
export GST_REGISTRY_FORK=no G_SLICE=always-malloc
# Stacks of calls for memory are short: fast_unwind_on_malloc=0 shows all of them, and
# makes rounds twice as long.
export ASAN_OPTIONS=detect_stack_use_after_return=1:intercept_tls_get_addr=0:${ASAN_OPTIONS-}
export LSAN_OPTIONS=suppressions=$source/tests/sanitizer.supp:print_suppressions=0:${LSAN_OPTIONS-}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0:${TSAN_OPTIONS-}
# A process between this one and chains would take the signal.
devenv=$(meson devenv -C "$build" --dump)
set +u # it adds to variables that may be unset
eval "$devenv"
set -u

list=$(taskset -pc $$) # such as: pid 12's current affinity list: 0-7,16
mapfile -t cpus < <(tr , '\n' <<<"${list##*: }" |
  while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done)
seed=$(date +%s)
start=$SECONDS
pids=() signalled=0
trap 'signalled=1; kill -TERM "${pids[@]}" 2>/dev/null || true' TERM INT
for ((i = 0; i < processes; i++)); do
  first=$((rounds * i / processes))
  taskset -c "${cpus[i % ${#cpus[@]}]},${cpus[(i + 1) % ${#cpus[@]}]}" \
    "$build/tests/stress/chains" --seed "$seed" --round "$first" \
    --rounds $((rounds * (i + 1) / processes - first)) "$@" >"$logs/$i" 2>&1 &
  pids+=($!)
done
failed=0 cut=0
for ((i = 0; i < processes; i++)); do
  code=0
  wait "${pids[i]}" || code=$?
  if [ $signalled = 1 ] && [ $code -gt 128 ]; then # the signal ended the wait
    signalled=0 code=0
    wait "${pids[i]}" || code=$?
  fi
  case $code in
    0) ;;
    143) cut=$((cut + 1)) ;;
    *)
      failed=$((failed + 1))
      echo "process $i: $logs/$i"
      ;;
  esac
done
grep -ahE -A 2 '^FINDING|ERROR: |WARNING: ThreadSanitizer|runtime error|^SUMMARY' \
  "$logs"/[0-9]* || true
awk '/^(chain|pair|stop) / { n[$1] += $2; ended[$1] += $3; errors[$1] += $4; frames[$1] += $5 }
  END { for (play in n) print play, n[play], "rounds,", ended[play], "ended,",
          errors[play], "errors,", frames[play], "frames" }' "$logs"/[0-9]*
echo "$failed of $processes processes failed, $cut were cut, in $((SECONDS - start)) s"
[ $failed = 0 ] && [ $cut = 0 ]
