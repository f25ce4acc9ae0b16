#!/bin/sh
# Compiles the code of an installation ahead for users who may read it and not write it: their services start in 1.5 instead of 2.6 seconds.
#   keep-code.sh APP USER...      compiles
#   keep-code.sh APP --remove     removes what was compiled
set -eu
app=$1
shift
code=$app/node_modules/.cache/counterproof-compiled
rm -rf "$code"
if [ "${1:-}" = --remove ]; then
  rmdir "$app/node_modules/.cache" 2>/dev/null || true
  exit
fi
for node in "$app"/node_modules/node-linux-*/bin/node; do
  env -u NODE_DISABLE_COMPILE_CACHE NODE_COMPILE_CACHE="$code" "$node" "$app/server/run.mjs" exec "$app/server/launch/keep-code.ts"
done
# Node looks for compiled code in a folder whose name ends with the number of the user.
own=$(id -u)
for user in "$@"; do
  number=$(id -u "$user")
  [ "$number" = "$own" ] || for made in "$code"/*-"$own"; do cp -al "$made" "${made%-"$own"}-$number"; done
done
chmod -R go=rX "$code"
