#!/usr/bin/env bash
# Tries a package by hand in a clean Debian made by mmdebstrap: install, upgrade with live data and a visit under way, roll back,
# refused downgrade and forgery, remove, reinstall, purge. Needs root, mmdebstrap and a network; takes some minutes.
set -euo pipefail

usage() {
  cat <<'TEXT'
Tries a package of npm run package:deb in a clean Debian.

  sudo resources/kiosk/drill-update.sh PACKAGE.deb [--older OLDER.deb] [--suite bookworm|trixie] [--base ROOT.tar] [--models DIR]

  --older OLDER.deb  an older package, which apt upgrades to PACKAGE.deb first
  --suite SUITE      bookworm (Debian 12, default) or trixie (13)
  --base ROOT.tar    a root that mmdebstrap made before, instead of a new one
  --models DIR       models that were converted before (out/models), which saves minutes
  --help             this text

Prints a line for each step. Exit status: 0 all as expected, 1 not.
TEXT
}

package='' older='' suite=bookworm base='' models=''
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage; exit 0 ;;
    --older) older=$2; shift 2 ;;
    --suite) suite=$2; shift 2 ;;
    --base) base=$2; shift 2 ;;
    --models) models=$2; shift 2 ;;
    -*) usage >&2; exit 2 ;;
    *) package=$1; shift ;;
  esac
done
[ -f "$package" ] || { usage >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo 'drill-update: run it as root' >&2; exit 1; }

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/drill-update.XXXXXX")
root=$work/root
mkdir "$root"
leave() {
  [ ! -f "$root/run/server.pid" ] || kill "$(cat "$root/run/server.pid")" 2>/dev/null || true
  sleep 1
  umount -l "$root/proc" "$root/dev" "$root/run" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap leave EXIT
began=$(date +%s)
ok() { echo "$(($(date +%s) - began)) s: $*"; }
fail() { echo "FAILED: $*" >&2; tail -n 30 "$root/var/log/counterproof-drill.log" >&2 || true; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
as_service() { inside setpriv --reuid counterproof --regid counterproof --init-groups env HOME=/var/lib/counterproof "$@"; }
expect() { # TEXT, in the output of the command that follows
  local text=$1 out; shift
  out=$("$@" 2>&1) || true
  case "$out" in *"$text"*) ;; *) fail "expected '$text' from: $* — $out" ;; esac
}

if [ -z "$base" ]; then
  base=$work/base.tar
  mmdebstrap --quiet --variant=minbase --include=systemd,bubblewrap,procps "$suite" "$base"
fi
tar -C "$root" -xf "$base" --exclude='./dev/*'
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/lock"
ok "a clean Debian $(cat "$root/etc/debian_version")"

# There is no running systemd in a chroot: this does what the unit says, for one service.
cat >"$root/usr/bin/systemctl" <<'SH'
#!/bin/bash
case "$1 ${2:-}" in
  '--quiet is-active') [ "${3:-}" = counterproof.service ] && [ -f /run/server.pid ] && kill -0 "$(cat /run/server.pid)" 2>/dev/null ;;
  '--quiet is-enabled') exit 1 ;;
  'stop counterproof.service')
    if [ -f /run/server.pid ]; then
      kill "$(cat /run/server.pid)" 2>/dev/null || true
      for _ in $(seq 300); do kill -0 "$(cat /run/server.pid)" 2>/dev/null || break; sleep 0.1; done
      rm -f /run/server.pid
    fi ;;
  'start counterproof.service')
    install -d -o counterproof -g counterproof -m 0700 /run/counterproof
    : >/var/log/counterproof-out.log
    cd /usr/lib/counterproof
    # Every browser of the machine is the kiosk's window here, so that the drill can begin a visit.
    setsid setpriv --reuid counterproof --regid counterproof --init-groups env HOME=/var/lib/counterproof NODE_ENV=production \
      COUNTERPROOF_MODELS=/var/lib/counterproof/models XDG_RUNTIME_DIR=/run/counterproof \
      /usr/lib/counterproof/bin/counterproof start --no-window --data /var/lib/counterproof \
      >>/var/log/counterproof-out.log 2>>/var/log/counterproof-drill.log 9>&- &
    echo $! >/run/server.pid
    for _ in $(seq 3000); do
      grep -q 'listening on' /var/log/counterproof-out.log && exit 0
      kill -0 "$(cat /run/server.pid)" 2>/dev/null || exit 1
      sleep 0.1
    done
    exit 1 ;;
esac
SH
chmod 0755 "$root/usr/bin/systemctl"
node_in=/usr/lib/counterproof/node_modules/node-linux-$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')/bin/node
call() { # METHOD PATH [HEADER: VALUE ...]; prints status and body
  inside "$node_in" -e '
    const [method, path, ...given] = process.argv.slice(1)
    const headers = Object.fromEntries(given.map((line) => line.split(/: (.*)/)))
    const body = method !== "POST" ? undefined : path === "/v1/identities" ? "[]" : "{\"language\":\"en\"}"
    if (body) headers["content-type"] = "application/json"
    if (path.startsWith("/kiosk/")) headers.origin = "http://127.0.0.1:8717"
    fetch("http://127.0.0.1:8717" + path, { method, headers, body }).then(async (answer) => {
      const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ")
      console.log(answer.status, await answer.text(), "COOKIE " + cookies)
    }, () => console.log("no answer"))' "$@"
}

# The packages: a successor with the same content, a successor whose server ends at once, and an older one.
openssl genpkey -quiet -algorithm ed25519 -out "$work/release.pem" 2>/dev/null || openssl genpkey -algorithm ed25519 -out "$work/release.pem"
openssl genpkey -algorithm ed25519 -out "$work/stranger.pem" 2>/dev/null
version=$(dpkg-deb -f "$package" Version)
architecture=$(dpkg-deb -f "$package" Architecture)
mkdir "$work/made"
remake() { # SUFFIX [COMMAND on the tree]
  local tree=$work/tree-$1 next=$version$1
  dpkg-deb -R "$package" "$tree"
  sed -i "s/^Version: .*/Version: $next/" "$tree/DEBIAN/control"
  sed -i "s/'$version'/'$next'/" "$tree/DEBIAN/preinst"
  sed -i "s/^  \"version\": .*/  \"version\": \"$next\",/" "$tree/usr/lib/counterproof/package.json"
  [ -z "${2:-}" ] || (cd "$tree/usr/lib/counterproof" && eval "$2")
  dpkg-deb --root-owner-group -Zzstd -z1 --build "$tree" "$work/made/counterproof_${next}_$architecture.deb" >/dev/null
  rm -rf "$tree"
}
sign() { # SUFFIX KEY
  "$project"/node_modules/node-linux-*/bin/node "$project/server/tools/package/release.ts" --key "$2" --version "$version$1" \
    --package "$work/made/counterproof_$version${1}_$architecture.deb" --architecture "$architecture" --minimum-from 0.1.0 >/dev/null
}
remake .next
remake .wrong "echo 'throw new Error(\"this version does not start\")' >>server/index.ts"
sign .next "$work/release.pem"
sign .wrong "$work/release.pem"
cp "$package" "$work/made/counterproof_${version}_$architecture.deb"
sign '' "$work/release.pem"
mkdir "$root/packages"
mv "$work"/made/* "$root/packages/"
ok 'packages made and signed'

# Install -----------------------------------------------------------------------------------------------------------
cp "${older:-$package}" "$root/packages/first.deb"
inside apt-get install -y --no-install-recommends /packages/first.deb >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; exit 1; }
[ "$(inside stat -c %U:%a /var/lib/counterproof)" = counterproof:700 ] || fail 'the data folder has another owner or mode'
if [ -n "$models" ]; then
  cp -r "$models" "$root/var/lib/counterproof/models"
  inside chown -R counterproof: /var/lib/counterproof/models
  chmod -R u=rwX,go= "$root/var/lib/counterproof/models"
fi
inside systemctl start counterproof.service || fail 'the server did not start'
ok "$(dpkg-deb -f "$root/packages/first.deb" Version) installed by apt, and its server runs as the user counterproof"

key=$(as_service "$node_in" /usr/lib/counterproof/server/run.mjs keys create --application drill --data /var/lib/counterproof --json | grep -o '"relyingServiceKey": *"[^"]*"' | cut -d '"' -f 4)
headers=("apikey: $key" 'user-agent: drill/1.0 (en)')
identity=$(call POST /v1/identities "${headers[@]}" | grep -oE '"id": *"[^"]*"' | head -n 1 | cut -d '"' -f 4) || fail 'no identity was created'
read_identity() { expect "$identity" call GET "/v1/identities/$identity/status" "${headers[@]}"; }
read_identity
ok 'live data: an application, and an identity that it reads'
if [ -n "$older" ]; then
  inside systemctl stop counterproof.service
  inside apt-get install -y --no-install-recommends "/packages/counterproof_${version}_$architecture.deb" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; exit 1; }
  inside systemctl start counterproof.service || fail 'the server did not start after the upgrade by apt'
  ok "upgraded by apt to $version, with its data"
fi
case "$(call GET /healthcheck)" in *"\"version\":\"$version\""*) ;; *) fail 'the health report has another version' ;; esac
read_identity
[ "$(as_service /usr/bin/counterproof --version)" = "$version" ] || fail '--version prints another version'

# Upgrade with a visit under way ------------------------------------------------------------------------------------
inside install -d -m 0755 /etc/counterproof/release-keys
openssl pkey -in "$work/release.pem" -pubout -out "$root/etc/counterproof/release-keys/vendor.pem"
begun=$(call POST /kiosk/api/session)
case "$begun" in 200*) ;; *) fail "no visit began: $begun" ;; esac
cookie=${begun##*COOKIE }
started=$(date +%s)
inside counterproof-update install "/packages/counterproof_$version.next_$architecture.deb" >"$work/update.log" 2>&1 &
update=$!
for _ in $(seq 600); do grep -qs DRAINING "$root/var/lib/counterproof-update/under-way.json" && break; sleep 0.5; done
expect proofings_frozen call POST /kiosk/api/session
expect '200 ' call GET /kiosk/api/visit "Cookie: $cookie"
ok 'an update waits: the visit under way continues, a new one is refused'
expect '204' call DELETE /kiosk/api/session "Cookie: $cookie"
wait "$update" || { cat "$work/update.log" >&2; fail 'the update failed'; }
grep -q '"state":"INSTALLED"' "$work/update.log" || fail 'the update says something else'
case "$(call GET /healthcheck)" in *"\"version\":\"$version.next\""*) ;; *) fail 'the new version does not answer' ;; esac
expect '200 ' call POST /kiosk/api/session
[ ! -e "$root/var/lib/counterproof/updates/before" ] || fail 'the copy of the databases stayed'
read_identity
ok "updated to $version.next, $(($(date +%s) - started)) s after the request"
open=$(call POST /kiosk/api/session); expect '204' call DELETE /kiosk/api/session "Cookie: ${open##*COOKIE }"

# Refused: older, forged --------------------------------------------------------------------------------------------
end_visits() { as_service "$node_in" --no-warnings -e "const { DatabaseSync } = require('node:sqlite'); new DatabaseSync('/var/lib/counterproof/appliance.sqlite').exec('UPDATE visits SET ended_at = started_at + 1 WHERE ended_at IS NULL')"; }
end_visits
expect NOT_NEWER inside counterproof-update install "/packages/counterproof_${version}_$architecture.deb"
expect 'cannot read its database' inside dpkg --install "/packages/counterproof_${version}_$architecture.deb"
openssl pkey -in "$work/stranger.pem" -pubout -out "$root/etc/counterproof/release-keys/vendor.pem"
expect KEY_UNKNOWN inside counterproof-update install "/packages/counterproof_$version.wrong_$architecture.deb"
openssl pkey -in "$work/release.pem" -pubout -out "$root/etc/counterproof/release-keys/vendor.pem"
case "$(inside dpkg-query -W -f '${Version} ${db:Status-Abbrev}' counterproof)" in "$version.next ii"*) ;; *) fail 'a refusal changed the package' ;; esac
ok 'a downgrade is refused by counterproof-update and by dpkg, a release of another key by counterproof-update'

# Roll back ---------------------------------------------------------------------------------------------------------
started=$(date +%s)
expect '"state":"ROLLED_BACK","reason":"START_FAILED"' inside counterproof-update install "/packages/counterproof_$version.wrong_$architecture.deb"
case "$(call GET /healthcheck)" in *"\"version\":\"$version.next\""*) ;; *) fail 'the version before does not answer' ;; esac
read_identity
ok "a version that does not start was rolled back by itself in $(($(date +%s) - started)) s"
expect '"state":"INSTALLED"' inside counterproof-update rollback
case "$(call GET /healthcheck)" in *"\"version\":\"$version\""*) ;; *) fail 'the rollback by hand runs another version' ;; esac
ok "returned by hand to $version"

# Remove, reinstall, purge ------------------------------------------------------------------------------------------
before=$(sha256sum <"$root/var/lib/counterproof/keys/kek.key")
inside systemctl stop counterproof.service
inside dpkg --remove counterproof >/dev/null
[ ! -e "$root/usr/lib/counterproof/server" ] && [ -e "$root/etc/pam.d/counterproof-kiosk" ] || fail 'remove left the application or took the settings'
inside dpkg --install "/packages/counterproof_${version}_$architecture.deb" >/dev/null 2>&1
inside systemctl start counterproof.service || fail 'the server did not start after a reinstallation'
inside systemctl stop counterproof.service
ok 'removed and installed again: the server runs with its data'
expect 'proofs and keys stay' inside dpkg --purge counterproof
[ "$before" = "$(sha256sum <"$root/var/lib/counterproof/keys/kek.key")" ] || fail 'purge touched the keys'
[ ! -e "$root/etc/pam.d/counterproof-kiosk" ] && [ ! -e "$root/var/lib/counterproof-update" ] || fail 'purge left settings'
ok 'purged: settings and kept packages are gone, proofs and keys stay'
