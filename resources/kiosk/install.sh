#!/usr/bin/env bash
# Turns a Debian machine into a kiosk: puts the files of this folder where the system reads them. It starts nothing and
# restarts nothing; the README says what to do then. Removing what it has put is --remove.
set -euo pipefail

usage() {
  cat <<'TEXT'
Installs the files that lock a kiosk machine.

  resources/kiosk/install.sh [--prefix DIR] [--app DIR] [--dry-run] [--lock-usb] [--remove]

  --prefix DIR  writes below DIR instead of / (to look at, or for a package); no system command is run then
  --app DIR     where Counterproof is installed (default: /usr/lib/counterproof)
  --dry-run     says what would be done, and does nothing
  --lock-usb    also the rule that refuses USB devices which it does not list: edit it first
  --remove      takes away what was put, but no data
  --help        this text

As root, unless with --prefix or --dry-run. Exit status: 0 done, 1 refused, 2 wrong use.
TEXT
}

prefix='' app=/usr/lib/counterproof dry=0 usb=0 remove=0
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix | --app)
      [ $# -ge 2 ] && [ -n "$2" ] || { echo "install: $1 needs a folder" >&2; exit 2; }
      case "$2" in /*) ;; *) echo "install: $1 needs an absolute path" >&2; exit 2 ;; esac
      if [ "$1" = --prefix ]; then prefix=${2%/}; else app=${2%/}; fi
      shift 2
      ;;
    --dry-run) dry=1; shift ;;
    --lock-usb) usb=1; shift ;;
    --remove) remove=1; shift ;;
    --help) usage; exit 0 ;;
    *) echo "install: this is not understood: $1" >&2; usage >&2; exit 2 ;;
  esac
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "$prefix" ] && [ "$dry" = 0 ] && [ "$(id -u)" != 0 ]; then
  echo 'install: run it as root, or with --prefix or --dry-run' >&2
  exit 1
fi

do_() {
  if [ "$dry" = 1 ]; then echo "would run: $*"; else "$@"; fi
}

# From this folder, to the system: what each does stands in the README.
files=(
  'systemd/counterproof.service        /etc/systemd/system/counterproof.service'
  'systemd/counterproof-kiosk.service  /etc/systemd/system/counterproof-kiosk.service'
  'systemd/counterproof-speech.service /etc/systemd/system/counterproof-speech.service'
  'systemd/counterproof-kiosk.target   /etc/systemd/system/counterproof-kiosk.target'
  'pam/counterproof-kiosk              /etc/pam.d/counterproof-kiosk'
  'sysusers/counterproof.conf          /etc/sysusers.d/counterproof.conf'
  'tmpfiles/counterproof.conf          /etc/tmpfiles.d/counterproof.conf'
  'sysctl/60-counterproof.conf         /etc/sysctl.d/60-counterproof.conf'
  'logind/counterproof.conf            /etc/systemd/logind.conf.d/counterproof.conf'
  'chromium/counterproof.json          /etc/chromium/policies/managed/counterproof.json'
  'udev/70-counterproof-cameras.rules  /etc/udev/rules.d/70-counterproof-cameras.rules'
  'udev/72-counterproof-readers.rules  /etc/udev/rules.d/72-counterproof-readers.rules'
  'polkit/70-counterproof-readers.rules /etc/polkit-1/rules.d/70-counterproof-readers.rules'
)
usb_rule='udev/71-counterproof-usb.rules      /etc/udev/rules.d/71-counterproof-usb.rules'
if [ "$usb" = 1 ] || [ "$remove" = 1 ]; then files+=("$usb_rule"); fi

for entry in "${files[@]}"; do
  read -r from to <<<"$entry"
  if [ "$remove" = 1 ]; then
    do_ rm -f "$prefix$to"
    continue
  fi
  do_ install -D -m 0644 "$here/$from" "$prefix$to"
  # The units name the usual place of the application.
  if [ "$app" != /usr/lib/counterproof ]; then
    case "$to" in *.service) do_ sed -i "s|/usr/lib/counterproof|$app|g" "$prefix$to" ;; esac
  fi
done

launcher="$app/bin/counterproof"
if [ "$remove" = 0 ]; then
  if [ "$dry" = 1 ]; then
    echo "would write: $prefix$launcher"
  else
    cpu=$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')
    # A package for another processor holds that one's Node alone.
    for packed in x64 arm64; do
      [ -n "$prefix" ] && [ -d "$prefix$app/node_modules/node-linux-$packed" ] && cpu=$packed
    done
    install -d -m 0755 "$prefix$app/bin"
    cat >"$prefix$launcher" <<SCRIPT
#!/bin/sh
# The pinned Node of this installation, and no other.
# Root alone could change the compiled code beside the code (keep-code.sh), and a command of root is no installation.
[ "\$(id -u)" != 0 ] || export NODE_DISABLE_COMPILE_CACHE=1
exec $app/node_modules/node-linux-$cpu/bin/node $app/server/run.mjs "\$@"
SCRIPT
    chmod 0755 "$prefix$launcher"
  fi
fi

# With --prefix, nothing of the running system is touched.
if [ -z "$prefix" ]; then
  if [ "$remove" = 1 ]; then
    do_ sh "$here/keep-code.sh" "$app" --remove
  else
    do_ systemd-sysusers
    do_ systemd-tmpfiles --create counterproof.conf
    do_ sh "$here/keep-code.sh" "$app" counterproof
  fi
  do_ systemctl daemon-reload
  do_ udevadm control --reload
fi

if [ "$remove" = 0 ]; then
  cat <<'TEXT'
Done. Then, in this order:
  1. put the numbers of your cameras into /etc/udev/rules.d/70-counterproof-cameras.rules (npm run cameras -- list)
  2. systemctl enable --now counterproof
  3. systemctl set-default counterproof-kiosk.target && systemctl enable counterproof-kiosk && reboot
  4. try what the README lists under "To try before visitors do"
TEXT
fi
