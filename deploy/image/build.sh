#!/usr/bin/env bash
# npm run package:image: a container image of the central service, from the Debian package of this checkout.
set -euo pipefail

usage() {
  cat <<'TEXT'
Makes a container image of the central service as an OCI archive.

  npm run package:image -- [--deb FILE] [--out FILE] [--base IMAGE | --base-from-debian] [--isolation KIND]

  --deb FILE           the Debian package (default: the newest in out/deb; npm run package:deb makes it)
  --out FILE           the archive (default: out/image/counterproof-central.tar)
  --base IMAGE         the base image (default: docker.io/library/debian:12-slim)
  --base-from-debian   makes the base from Debian's packages with mmdebstrap, without a registry; needs root
  --isolation KIND     how buildah runs the steps: oci, rootless or chroot (default: chroot for root, otherwise rootless)
  --help               this text

Needs buildah; load the archive with `podman load -i FILE` or `docker load -i FILE`.
TEXT
}

deb='' out='' base='docker.io/library/debian:12-slim' from_debian=0 isolation=''
while [ $# -gt 0 ]; do
  case "$1" in
    --deb | --out | --base | --isolation)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      declare "${1#--}=$2"
      shift 2
      ;;
    --base-from-debian) from_debian=1; shift ;;
    --help) usage; exit 0 ;;
    *) echo "package:image: this is not understood: $1" >&2; usage >&2; exit 2 ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${out:-out/image/counterproof-central.tar}
[ -n "$isolation" ] || { [ "$(id -u)" = 0 ] && isolation=chroot || isolation=rootless; }
[ -n "$deb" ] || deb=$(ls -t out/deb/counterproof_*.deb 2>/dev/null | head -n 1)
[ -f "$deb" ] || { echo 'package:image: there is no package: npm run package:deb' >&2; exit 1; }
command -v buildah >/dev/null || { echo 'package:image: buildah is missing (Debian package buildah)' >&2; exit 1; }

mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/work.XXXXXX")
made=counterproof-central-$$
# The storage lies in the work folder, so that a build leaves nothing on this machine.
buildah=(buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs)
trap 'rm -rf "$work"' EXIT

if [ "$from_debian" = 1 ]; then
  command -v mmdebstrap >/dev/null || { echo 'package:image: mmdebstrap is missing (Debian package mmdebstrap)' >&2; exit 1; }
  mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
  printf 'FROM scratch\nADD base.tar /\n' >"$work/Dockerfile.base"
  base=localhost/counterproof-base
  "${buildah[@]}" bud --quiet --isolation "$isolation" -t "$base" -f "$work/Dockerfile.base" "$work"
  rm "$work/base.tar"
fi

mkdir "$work/context"
dpkg-deb -x "$deb" "$work/context/package"
mkdir -p "$work/context/app/usr/lib"
# The rest of the package locks a kiosk machine.
mv "$work/context/package/usr/lib/counterproof" "$work/context/app/usr/lib/"
rm -rf "$work/context/package"
"${buildah[@]}" bud --quiet --isolation "$isolation" --build-arg "BASE=$base" -t "localhost/$made" \
  -f deploy/image/Dockerfile "$work/context"
"${buildah[@]}" push --quiet "localhost/$made" "oci-archive:$work/made.tar:counterproof-central:latest"
mv -fT "$work/made.tar" "$out"
ls -l "$out" | awk '{print $5 " bytes", $9}'
