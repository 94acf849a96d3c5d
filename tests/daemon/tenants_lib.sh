# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the variables are for the tests that include this
# A configuration in the test's directory, tenants by token, and what they do.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
etc=$dir/etc
mkdir -p "$etc/tenants.d" "$etc/policies"

hash_of() {
	printf %s "$1" | sha256sum | cut -d' ' -f1
}

# tenant NAME [LINES]: one whose token is token-NAME.
tenant() {
	printf '[Tenant]\nTokenSHA256=%s\n%b' "$(hash_of "token-$1")" "${2:-}" \
		>"$etc/tenants.d/$1.conf"
}

# post_as NAME JSON PATH ARGS...
post_as() {
	as=$1
	shift
	post "$@" -H "Authorization: Bearer token-$as"
}

get_as() {
	request -H "Authorization: Bearer token-$1" "http://quodd$2"
}

# hold NAME: a run of his that does not end; $client is who waits for it.
hold() {
	rm -f "$dir/held"
	curl -sSN -m 60 --unix-socket "$socket" -H 'Accept: application/x-ndjson' \
		-H 'Content-Type: application/json' -H "Authorization: Bearer token-$1" \
		-d '{"source":"console.log(1); for (var n = 1; n > 0;);"}' \
		http://quodd/v1/run >"$dir/held" 2>/dev/null &
	client=$!
	await_line "$dir/held"
}

# await_line FILE: until something is in it.
await_line() {
	for _ in $(seq 1500); do
		[ ! -s "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

let_go() {
	kill "$client"
	wait "$client"
}

# reload: and wait until it has come of something; what was said is in $said.
reload() {
	lines=$(wc -l <"$dir/log")
	kill -HUP "$daemon"
	for _ in $(seq 1500); do
		said=$(tail -n "+$((lines + 1))" "$dir/log")
		case $said in
		*' counts'*) return 0 ;;
		esac
		sleep 0.02
	done
	return 1
}

# says TEXT PART NAME: brackets are no pattern.
says() {
	case $1 in
	*"$2"*) pass "$3" ;;
	*) fail "$3" "no '$2' in: $1" ;;
	esac
}
