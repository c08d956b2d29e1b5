# Sourced by the scripts that follow pages: `swift` as the commands of a page call it, with the build folder $scratch. SwiftPM takes seconds to find that nothing
# is to be built: of the calls of a program that $unchanging names (between spaces) the first one goes through it, the others start the same program. What
# starts such a program is noted in the folder $started.
swift() {
  local program=
  if [ "$1" = run ] && [[ " $unchanging " == *" ${2:-} "* ]]; then program=$2; fi
  if [ -n "$program" ] && [ -e "$started/$program" ]; then
    "$scratch/debug/$program" "${@:3}"
    return
  fi
  command swift "$1" --scratch-path "$scratch" "${@:2}" || return
  if [ -n "$program" ]; then touch "$started/$program"; fi
}
export -f swift
