#!/usr/bin/env bash
# Installs the servers of servers.tsv at their pinned versions and scores each of
# them with mcpeval, one report a server.
#
#	probes/corpus/collect.sh install DIR          needs npm, python3 and their registries
#	probes/corpus/collect.sh score MCPEVAL DIR OUT  offline: DIR as installed, OUT/ID.json
#
# Nothing is attested about other people's tools: only those that say they only
# read are called.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

rows() { grep -v '^#' "$here/servers.tsv" | tr '\t' '\037'; }

install() {
  local dir=$1 failed=0 id registry package version rest
  while IFS=$'\037' read -r id registry package version rest; do
    [ -e "$dir/$id/installed-$version" ] && continue
    mkdir -p "$dir/$id"
    case $registry in
    npm) (cd "$dir/$id" && echo '{"private":true}' >package.json &&
      npm install --no-audit --no-fund --omit=dev --ignore-scripts --loglevel=error --save-exact "$package@$version") ;;
    pypi) (cd "$dir/$id" && python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check "$package==$version") ;;
    esac </dev/null >"$dir/$id/log" 2>&1 && touch "$dir/$id/installed-$version" ||
      { echo "$id: not installed, see $dir/$id/log"; failed=1; }
  done < <(rows)
  return $failed
}

score() {
  local mcpeval dir out home work id registry package version program needs arguments bin code
  mcpeval=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
  dir=$(cd "$2" && pwd)
  mkdir -p "$3"
  out=$(cd "$3" && pwd)
  while IFS=$'\037' read -r id registry package version program needs arguments; do
    [ -e "$dir/$id/installed-$version" ] || { echo "$id: not installed"; continue; }
    home=$(mktemp -d) work=$(mktemp -d)
    bin=$dir/$id/node_modules/.bin/$program
    [ "$registry" = pypi ] && bin=$dir/$id/venv/bin/$program
    arguments=${arguments//\{dir\}/$work}
    # shellcheck disable=SC2086 # arguments are words
    (cd "$work" && env HOME="$home" MCPEVAL_HOME="$home/mcpeval" "$mcpeval" score --server "$id" --format json -- "$bin" $arguments) \
      </dev/null >"$out/$id.json" 2>"$out/$id.err"
    code=$?
    [ $code = 0 ] || echo "$id: exit $code"
    rm -rf "$home" "$work"
  done < <(rows)
}

case ${1:-} in
install) install "$2" ;;
score) score "$2" "$3" "$4" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
