#!/usr/bin/env bash
# npm run package:repo: a folder that apt takes packages from, signed with an OpenPGP key, and the release manifests for updates,
# signed with the release key. Needs apt-ftparchive (Debian package apt-utils), gpg, and no root.
set -euo pipefail

usage() {
  cat <<'TEXT'
Adds packages of npm run package:deb to a signed apt repository, and signs a release manifest for each.

  npm run package:repo -- --release-key FILE --gpg-key ID [--minimum-from VERSION] [--out DIR] [PACKAGE.deb ...]

  --release-key FILE      Ed25519 private key (PEM) that signs the release manifest
  --gpg-key ID            key of gpg that signs the repository
  --minimum-from VERSION  the oldest version that can be upgraded to these packages (default: 0.1.0)
  --out DIR               the repository (default: out/apt); packages in it stay
  PACKAGE.deb             default: every package in out/deb
  --help                  this text

Make the keys once, and keep them away from the central service and the kiosks:
  openssl genpkey -algorithm ed25519 -out release.pem && openssl pkey -in release.pem -pubout -out release.pub.pem
  gpg --quick-generate-key 'Counterproof packages' ed25519 sign never
TEXT
}

fail() { echo "package:repo: $1" >&2; exit "${2:-1}"; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/out/apt release_key='' gpg_key='' minimum_from=0.1.0 packages=()
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage; exit 0 ;;
    --release-key | --gpg-key | --minimum-from | --out)
      [ $# -ge 2 ] && [ -n "$2" ] || { usage >&2; exit 2; }
      case "$1" in
        --release-key) release_key=$2 ;;
        --gpg-key) gpg_key=$2 ;;
        --minimum-from) minimum_from=$2 ;;
        --out) out=$2 ;;
      esac
      shift 2
      ;;
    -*) usage >&2; fail "this is not understood: $1" 2 ;;
    *) packages+=("$1"); shift ;;
  esac
done
[ -n "$release_key" ] && [ -n "$gpg_key" ] || { usage >&2; exit 2; }
for tool in apt-ftparchive dpkg-deb gpg; do
  command -v "$tool" >/dev/null || fail "$tool is missing (Debian packages apt-utils, dpkg, gpg)"
done
[ "${#packages[@]}" -gt 0 ] || packages=("$root"/out/deb/*.deb)
[ -f "${packages[0]}" ] || fail 'there is no package: npm run package:deb'
node=$(echo "$root"/node_modules/node-linux-*/bin/node)

mkdir -p "$out"
for package in "${packages[@]}"; do
  version=$(dpkg-deb -f "$package" Version)
  architecture=$(dpkg-deb -f "$package" Architecture)
  case "$version" in *.dirty) fail "the package was built from a changed tree: $package" ;; esac
  name=counterproof_${version}_$architecture.deb
  [ "$package" -ef "$out/$name" ] || install -m 0644 "$package" "$out/$name"
  "$node" "$root/server/tools/package/release.ts" --package "$out/$name" --key "$release_key" --version "$version" \
    --architecture "$architecture" --minimum-from "$minimum_from"
done

cd "$out"
apt-ftparchive packages . >Packages
xz -kf Packages
apt-ftparchive -o APT::FTPArchive::Release::Origin=Counterproof -o APT::FTPArchive::Release::Label=Counterproof \
  -o APT::FTPArchive::Release::Suite=stable release . >Release.new
mv Release.new Release
gpg --batch --yes --local-user "$gpg_key" --clearsign --output InRelease Release
gpg --batch --yes --local-user "$gpg_key" --armor --detach-sign --output Release.gpg Release
gpg --batch --yes --armor --export --output counterproof-archive.asc "$gpg_key"
chmod 0644 ./*
echo "$out: $(grep -c '^Package:' Packages) packages"
