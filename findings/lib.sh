# What findings share: `. "$(dirname "$0")/lib.sh"; install NAME==VERSION…` makes a virtual environment in a temporary folder, which
# is the working folder then and is removed at the end.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

install() {
  python3 -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check "$@" || {
    echo "could not be tried: $* cannot be installed" >&2
    exit 2
  }
}

# Runs Python, whose text is on stdin, in that environment. Prints what it prints, and compares it with the first argument.
expect() {
  local seen
  seen=$(venv/bin/python -) || { echo "could not be tried: the program failed" >&2; exit 2; }
  echo "$seen"
  if [ "$seen" != "$1" ]; then
    printf 'changed. It was:\n%s\n' "$1" >&2
    exit 1
  fi
}
