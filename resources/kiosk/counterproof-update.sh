#!/bin/bash
# The command counterproof-update: one update at a time, with the Node of the installed package (server/updates/main.ts).
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset NODE_OPTIONS NODE_PATH
umask 022
app=/usr/lib/counterproof state=/var/lib/counterproof-update
case "$(uname -m)" in x86_64) cpu=x64 ;; aarch64) cpu=arm64 ;; *) echo 'counterproof-update: unknown processor' >&2; exit 1 ;; esac
node=$app/node_modules/node-linux-$cpu/bin/node

case "${1:-}" in
  install | rollback | run)
    [ "$(id -u)" = 0 ] || { echo 'counterproof-update: run it as root, with sudo' >&2; exit 1; }
    exec 9>/run/lock/counterproof-update.lock
    flock --wait 7200 9 || { echo 'counterproof-update: another update is under way' >&2; exit 1; }
    # A power cut may have left half a package, so that its Node cannot end the update. The package of the version before can.
    if [ "$1" = run ] && grep -qs '"phase":"CHANGING"' "$state/under-way.json"; then
      systemctl stop counterproof.service || true
      COUNTERPROOF_UPDATE=1 DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold --install "$state/installed.deb"
    fi
    ;;
esac
exec "$node" "$app/server/updates/main.ts" "$@"
