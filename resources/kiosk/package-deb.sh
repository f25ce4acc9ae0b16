#!/usr/bin/env bash
# npm run package:deb: a Debian package with the application, the pinned Node, the built screens and the kiosk's files.
# Needs dpkg-deb and a repository on which `npm ci` and `npm run build` have run; needs no root, and the network only for the
# architecture of another machine, whose npm packages it installs.
set -euo pipefail

usage() {
  cat <<'TEXT'
Makes a Debian package of this repository.

  npm run package:deb -- [--out DIR] [--architecture NAME] [--fast] [--keep-tree]

  --out DIR            where the package goes (default: out/deb)
  --architecture NAME  amd64 or arm64 (default: of this machine). For another one it installs the npm packages again
  --fast               compresses less: a few seconds instead of minutes, and a package larger by a third
  --keep-tree          leaves the folder that was packed, to look at
  --help               this text
TEXT
}

# One thread: several cut the content into blocks, which need more space and depend on the machine.
out='' architecture='' keep=0 compression=(-Zxz -z9 --threads-max=1)
while [ $# -gt 0 ]; do
  case "$1" in
    --out) [ $# -ge 2 ] || { usage >&2; exit 2; }; out=$2; shift 2 ;;
    --architecture) [ $# -ge 2 ] || { usage >&2; exit 2; }; architecture=$2; shift 2 ;;
    --fast) compression=(-Zzstd -z3); shift ;;
    --keep-tree) keep=1; shift ;;
    --help) usage; exit 0 ;;
    *) echo "package:deb: this is not understood: $1" >&2; usage >&2; exit 2 ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
out=${out:-$root/out/deb}
command -v dpkg-deb >/dev/null || { echo 'package:deb: dpkg-deb is missing (Debian package dpkg)' >&2; exit 1; }
[ -f out/renderer/kiosk/index.html ] || { echo 'package:deb: build the screens first: npm run build' >&2; exit 1; }

# The number of commits grows with every commit, so that a later commit is a higher version for dpkg. A changed tree says so.
git rev-parse --verify -q HEAD >/dev/null || { echo 'package:deb: the version comes from git, and this is no checkout' >&2; exit 1; }
version=$(node -p 'require("./package.json").version')+git$(git rev-list --count HEAD).$(git rev-parse --short=12 HEAD)
[ -z "$(git status --porcelain)" ] || version+=.dirty
# dpkg-deb and everything below take the time of the commit, so that two builds of one commit are the same bytes.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
own_architecture=$(dpkg --print-architecture)
architecture=${architecture:-$own_architecture}
case "$architecture" in
  amd64) cpu=x64 ;;
  arm64) cpu=arm64 ;;
  *) echo "package:deb: there is no pinned Node for $architecture" >&2; exit 1 ;;
esac

mkdir -p "$out"
# The package, too, is made in a folder of our own and moved: a link at its name is replaced, never followed.
work=$(mktemp -d "$out/work.XXXXXX")
tree=$work/tree
mkdir -m 0755 "$tree"
trap '[ "$keep" = 1 ] || rm -rf "$work"' EXIT
app=$tree/usr/lib/counterproof
mkdir -p "$app/out"

cp -a package.json README.md ARCHITECTURE.md CHANGELOG.md LICENSE electron.vite.config.ts deploy docs server resources models "$app/"
cp -a out/renderer "$app/out/"
sed -i "s/^  \"version\": .*/  \"version\": \"$version\",/" "$app/package.json"
# Keys that deploy/README.md makes for the compose files.
rm -f "$app"/deploy/*.pem "$app"/deploy/*.key "$app"/deploy/*.crt
# Pictures for the readers of the repository.
rm -rf "$app/docs/screens" "$app/resources/screenshots"
# The server reads the words of the screens, too.
mkdir "$app/renderer"
cp -a renderer/locales "$app/renderer/"
# A package is taken as built: without the sources of the screens, nobody builds them on a kiosk.
rm -f "$app/out/renderer/sources.sha256"

# What the application needs to run, of one processor alone: npm names it, the lockfile has pinned it.
installed=$root
if [ "$architecture" != "$own_architecture" ]; then
  installed=$work/installed
  mkdir "$installed"
  cp package.json package-lock.json .npmrc "$installed/"
  (cd "$installed" && npm ci --omit=dev --cpu="$cpu" --os=linux --libc=glibc --no-audit --no-fund >/dev/null)
fi
(
  cd "$installed"
  npm ls --omit=dev --all --parseable 2>/dev/null | tail -n +2 | sed "s|^$installed/||" | sort -u | while read -r package; do
    [ -d "$package" ] && mkdir -p "$app/$(dirname "$package")" && cp -a --no-clobber "$package" "$app/$(dirname "$package")/" || true
  done
)
modules=$app/node_modules
[ -x "$modules/node-linux-$cpu/bin/node" ] || { echo 'package:deb: the pinned Node is missing: npm ci' >&2; exit 1; }
find "$modules/onnxruntime-node/bin" -mindepth 2 -maxdepth 3 -type d 2>/dev/null |
  grep -E '/(darwin|win32)$|/linux/(x64|arm64)$' | grep -v "/linux/$cpu$" | xargs -r rm -rf
find "$modules/better-sqlite3/prebuilds" -name 'linux-*' ! -name "linux-$cpu.node" -delete
(
  shopt -s extglob globstar nullglob
  cd "$modules"
  while read -r pattern; do
    case "$pattern" in '#'* | '') continue ;; esac
    # shellcheck disable=SC2086
    rm -rf -- $pattern
  done <"$root/resources/kiosk/left-out.txt"
)
find "$modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find "$modules" -type f \( -iname 'readme*' -o -iname 'changelog*' -o -iname 'history.md' \) -delete
find "$modules" -type d -empty -delete
# A seventh of Node is symbols for a debugger. The package binutils has `strip` for this machine's processor alone.
strip=strip
[ "$architecture" = "$own_architecture" ] || strip=$([ "$cpu" = arm64 ] && echo aarch64 || echo x86_64)-linux-gnu-strip
if command -v "$strip" >/dev/null; then "$strip" --strip-unneeded "$modules/node-linux-$cpu/bin/node"; fi

documents=$tree/usr/share/doc/counterproof
mkdir -p "$documents"
node server/run.mjs exec server/tools/package/notices.ts --tree "$app" --sources "$installed/node_modules" --out "$documents" \
  --version "$version" --architecture "$architecture" --created-at "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)"
{
  printf 'counterproof (%s) stable; urgency=medium\n\n' "$version"
  git log -n 40 --format='  * %s'
  printf '\n -- Counterproof <root@localhost>  %s\n' "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$documents/changelog.gz"

bash resources/kiosk/install.sh --prefix "$tree" >/dev/null
# In a package, units and rules belong to the system's own folders, and /etc to the administrator.
mkdir -p "$tree/usr/lib/systemd" "$tree/usr/lib/udev"
mv "$tree/etc/systemd/system" "$tree/usr/lib/systemd/system"
mv "$tree/etc/sysusers.d" "$tree/usr/lib/sysusers.d"
mv "$tree/etc/tmpfiles.d" "$tree/usr/lib/tmpfiles.d"
mv "$tree/etc/sysctl.d" "$tree/usr/lib/sysctl.d"
# Whatever the umask of this checkout was: the users of the services read all of it, and root alone writes it.
# The central service has its unit in the same package; it is enabled by hand.
install -D -m 0644 deploy/systemd/counterproof-central.service "$tree/usr/lib/systemd/system/counterproof-central.service"
install -D -m 0644 deploy/systemd/counterproof-central.sysusers.conf "$tree/usr/lib/sysusers.d/counterproof-central.conf"
for unit in counterproof-update.path counterproof-update.service; do
  install -D -m 0644 "resources/kiosk/systemd/$unit" "$tree/usr/lib/systemd/system/$unit"
done
install -D -m 0755 resources/kiosk/counterproof-update.sh "$tree/usr/sbin/counterproof-update"
mkdir -p "$tree/usr/bin"
ln -s ../lib/counterproof/bin/counterproof "$tree/usr/bin/counterproof"
chmod -R u+rwX,go+rX,go-w "$tree"

mkdir "$tree/DEBIAN"
(cd "$tree" && find etc -type f | sed 's|^|/|' | sort) >"$tree/DEBIAN/conffiles"
cat >"$tree/DEBIAN/control" <<TEXT
Package: counterproof
Version: $version
Architecture: $architecture
Maintainer: Counterproof <root@localhost>
Section: misc
Priority: optional
Installed-Size: $(find "$tree" -path "$tree/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ k += int(($1 + 1023) / 1024) } END { print k }')
Depends: libc6, systemd, coreutils, bubblewrap
Recommends: chromium, cage, xwayland, fswebcam, pcscd, libccid, fonts-noto-core, libpam-systemd, speech-dispatcher, speech-dispatcher-espeak-ng
Description: self-hosted identity-proofing appliance
 Reads the identity document, compares its portrait with the person before the
 camera, and seals the result in a signed proof. With the units, the browser
 policy and the rules that lock a kiosk machine, and the Node that runs it.
TEXT
cat >"$tree/DEBIAN/preinst" <<TEXT
#!/bin/sh
set -e
# COUNTERPROOF_UPDATE: counterproof-update returns to the version before, with its database.
if [ "\$1" = upgrade ] && [ -z "\${COUNTERPROOF_UPDATE:-}" ] && dpkg --compare-versions "\$2" gt '$version'; then
  echo "counterproof: version \$2 is installed, and $version cannot read its database." >&2
  echo "To return to the version before, run: counterproof-update rollback. To return further, restore a backup (docs/RUNBOOK.md)." >&2
  exit 1
fi
TEXT
cat >"$tree/DEBIAN/postinst" <<'TEXT'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
  systemd-sysusers counterproof.conf counterproof-central.conf || true
  systemd-tmpfiles --create counterproof.conf || true
  sh /usr/lib/counterproof/resources/kiosk/keep-code.sh /usr/lib/counterproof counterproof counterproof-central ||
    echo 'counterproof: the code was not compiled ahead; each start takes a second longer.'
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    # Without a key in /etc/counterproof/release-keys it installs nothing.
    [ -n "${2:-}" ] || systemctl enable --now counterproof-update.path || true
    # counterproof-update restarts the services itself.
    [ -z "${2:-}" ] || [ -n "${COUNTERPROOF_UPDATE:-}" ] || systemctl try-restart counterproof.service counterproof-kiosk.service || true
  fi
fi
TEXT
cat >"$tree/DEBIAN/prerm" <<'TEXT'
#!/bin/sh
set -e
sh /usr/lib/counterproof/resources/kiosk/keep-code.sh /usr/lib/counterproof --remove || true
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now counterproof-update.path || true
  systemctl stop counterproof-kiosk.service counterproof.service counterproof-central.service || true
fi
TEXT
cat >"$tree/DEBIAN/postrm" <<'TEXT'
#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf /var/lib/counterproof-update
  [ ! -d /var/lib/counterproof ] ||
    echo 'counterproof: proofs and keys stay in /var/lib/counterproof. If you need none of them, delete this folder.'
fi
[ ! -d /run/systemd/system ] || systemctl daemon-reload || true
TEXT
chmod -R u+rwX,go+rX,go-w "$tree/DEBIAN"
chmod 0755 "$tree"/DEBIAN/{preinst,postinst,prerm,postrm}

package=$out/counterproof_${version}_$architecture.deb
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group "${compression[@]}" --build "$tree" "$work/made.deb"
chmod 0644 "$work/made.deb"
mv -fT "$work/made.deb" "$package"
cp "$documents/sbom.cdx.json" "${package%.deb}.cdx.json"
ls -l "$package" | awk '{print $5 " bytes", $9}'
