# Sourced by the scripts of this folder: where things are, and how what is missing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

SELF=dist/$(basename "$0")
TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
unset CARGO_TARGET_DIR
DIST=$TARGET_DIR/dist # what a release holds
BIN=$DIST/bin         # the programs, TRIPLE/filewright
TOOLS=$TARGET_DIR/dist-tools
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
command -v cargo >/dev/null || PATH=$CARGO_HOME/bin:$PATH
VERSION=$(sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

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

# The folders of the building machine would end up in panic messages, and make the program another one elsewhere.
remap() { echo "--remap-path-prefix=$PWD=/filewright --remap-path-prefix=$CARGO_HOME=/cargo"; }

# put FILE TRIPLE NAME: a built program goes to where the other scripts look for it.
put() {
  install -D -m 755 "$1" "$BIN/$2/$3"
  ls -l "$BIN/$2/$3"
}
