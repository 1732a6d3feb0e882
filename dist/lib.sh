# Sourced by the scripts of this folder: where things are, and how what is missing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SELF=dist/$(basename "$0")
TARGET_DIR=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
unset CARGO_TARGET_DIR
DIST=$TARGET_DIR/dist # what a release holds
BIN=$DIST/bin         # the programs, TRIPLE/filewright
TOOLS=$TARGET_DIR/dist-tools
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
command -v cargo >/dev/null || PATH=$CARGO_HOME/bin:$PATH
VERSION=$(sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

# Where the project is published: the one place that names it. Packages, manifests and checks take it from here.
REPOSITORY=${FILEWRIGHT_REPOSITORY:-https://github.com/OWNER/filewright}

LINUX_X64=x86_64-unknown-linux-gnu
LINUX_ARM64=aarch64-unknown-linux-gnu
WINDOWS_X64=x86_64-pc-windows-gnu
MACOS=universal-apple-darwin

die() {
  echo "$SELF: $*" >&2
  exit 1
}

step() { printf '\n== %s\n' "$*"; }

# Every time in what is built; the last commit's unless told otherwise.
need_epoch() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
  [ -n "$SOURCE_DATE_EPOCH" ] || die "this is no git checkout with a commit; set SOURCE_DATE_EPOCH to the time of the release"
  export SOURCE_DATE_EPOCH
}

# Debian packages: installed where this is root, named where it is not.
need_debian() {
  local package missing=()
  for package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "needs root to install: apt-get install --no-install-recommends ${missing[*]}"
  echo "installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Python packages in an environment of the checkout's own; need_python NAME PACKAGE...
need_python() {
  local place=$TOOLS/$1
  shift
  if [ ! -e "$place/done" ] || [ "$(cat "$place/done")" != "$*" ]; then
    rm -rf "$place"
    python3 -m venv "$place" || die "needs python3 with venv (Debian: python3-venv)"
    "$place/bin/pip" install -q --disable-pip-version-check "$@"
    echo "$*" >"$place/done"
  fi
  PATH=$place/bin:$PATH
}

# Debian's compiler, because it comes with the source of the standard library: std is then built for targets that rustup's
# servers would otherwise have to provide.
use_debian_rust() {
  need_debian rustc-web cargo-web rust-web-src rust-web-clippy
  export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc RUSTC_BOOTSTRAP=1
  unset RUSTUP_TOOLCHAIN
  BUILD_STD=-Zbuild-std=std,panic_abort
}

# Wine with a Windows of the checkout's own; WINE is the program that starts others.
use_wine() {
  need_debian wine wine64 locales gcc-mingw-w64-x86-64-win32
  WINE=/usr/lib/wine/wine64
  export WINEPREFIX=$TOOLS/wine WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
  local library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
  if [ ! -e "$library" ]; then
    mkdir -p "$TOOLS"
    timeout 300 "$WINE" wineboot -i >/dev/null 2>&1
    x86_64-w64-mingw32-gcc -O1 -shared -o "$library" dist/checks/bcryptprimitives.c -ladvapi32
  fi
}

# The folders of the building machine would end up in panic messages, and make the program another one elsewhere.
remap() { echo "--remap-path-prefix=$PWD=/filewright --remap-path-prefix=$CARGO_HOME=/cargo"; }

# put FILE TRIPLE NAME: a built program goes to where the other scripts look for it.
put() {
  mkdir -p "$BIN/$2"
  cp "$1" "$BIN/$2/$3"
  chmod 755 "$BIN/$2/$3"
  ls -l "$BIN/$2/$3"
}
