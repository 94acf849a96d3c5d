# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # lib.sh has set them
# For tests of what quod doctor finds; included after lib.sh.

# finds NAME STATE FOUND REMEDY WHAT COMMAND...: the row NAME of its JSON, whose state is that
# and whose words contain these.
finds() {
	finds_row='[.probes[] | select(.name == $name)]'
	for finds_arg in name state found remedy what; do
		eval "finds_$finds_arg=\$1"
		shift
	done
	"$@" >"$dir/out" 2>"$dir/err" || true
	is "$(jq -r --arg name "$finds_name" --arg state "$finds_state" --arg found "$finds_found" \
		--arg remedy "$finds_remedy" "$finds_row"' | if length == 1 and (.[0] | .state == $state and
			((.found // "") | contains($found)) and ((.remedy // "") | contains($remedy)))
		then "so" else tojson end' "$dir/out" 2>&1; head -n 3 "$dir/err")" so "$finds_what"
}

# here SCRIPT COMMAND...: as root of a user and a mount namespace, after SCRIPT; $dir is in it.
here() {
	here_script=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	dir=$dir timeout -k 5 60 unshare -Urm sh -c "$here_script"' && exec "$@"' sh "$@"
}
