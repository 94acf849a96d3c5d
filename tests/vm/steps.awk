# SPDX-License-Identifier: MIT
# awk -v to=DIR -f steps.awk RUNBOOK.md: what a runbook has its reader do, one file each, in
# order: DIR/N.KIND, with what it says in it.
#
#	breakage	<!-- breakage: NAME -->		the name
#	command		"# COMMAND" in a block, with "> MORE" lines
#	failing		the same in a block `console fails`
#	expected	the lines after it
#
# Whatever looks like a block and is none of these is an error: nothing in a runbook is there
# to be read alone.
function complain(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why
	bad = 1
}

function put(kind, text) {
	file = sprintf("%s/%03d.%s", to, number, kind)
	printf "%s\n", text >>file
}

function open_block(words) {
	inside = 1
	since = number
	kind = "command"
	if (words == "console fails")
		kind = "failing"
	else if (words == "promql")
		kind = ""
	else if (words != "console")
		complain("a block that is not executed: ```" words)
	if (kind && !broken)
		complain("a block before the first <!-- breakage: NAME -->")
}

function close_block() {
	inside = 0
	if (kind && number == since)
		complain("a block without a command")
}

/^```/ {
	if (inside)
		close_block()
	else
		open_block(substr($0, 4))
	next
}
inside && !kind { next }
inside && /^# / {
	number++
	printf "%s:%d\n", FILENAME, FNR >sprintf("%s/%03d.place", to, number)
	put(kind, substr($0, 3))
	more = 1
	next
}
inside && /^> / && more { put(kind, substr($0, 3)); next }
inside && number == since { complain("output before the first command"); next }
inside { more = 0; put("expected", $0); next }
/^<!-- breakage: [a-z_]+ -->$/ { number++; broken = 1; put("breakage", $3); next }
/^<!--/ { complain("a comment that says nothing to the test") }
/^(    |\t| *~~~| +```)/ { complain("a block that is not executed") }
END {
	if (inside)
		complain("a block without an end")
	if (!broken)
		complain("no <!-- breakage: NAME -->")
	exit bad
}
