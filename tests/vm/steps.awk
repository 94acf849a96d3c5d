# SPDX-License-Identifier: MIT
# awk -f steps.awk RUNBOOK.md: what a runbook has its reader do, in order, as a shell script of
# two functions:
#
#	break_it NAME				<!-- breakage: NAME -->
#	obey PLACE KIND COMMAND EXPECTED	"# COMMAND" in a block, "> MORE" lines of it,
#						and the lines after it
# KIND is `succeeds`, or in a block `console fails` it is `fails`. Whatever looks like a block
# and is none of these is an error: nothing in a runbook is there to be read alone, but queries
# (```promql), which no shell executes.
function complain(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why >"/dev/stderr"
	bad = 1
}

function quote(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

function flush() {
	if (place)
		print "obey", quote(place), kind, quote(command), quote(expected)
	place = command = expected = ""
}

function open_block(words) {
	inside = 1
	begun = 0
	kind = "succeeds"
	if (words == "console fails")
		kind = "fails"
	else if (words == "promql")
		kind = ""
	else if (words != "console")
		complain("a block that is not executed: ```" words)
	if (kind && !broken)
		complain("a block before the first <!-- breakage: NAME -->")
}

function close_block() {
	inside = 0
	if (kind && !begun)
		complain("a block without a command")
	flush()
}

BEGIN { page = ARGV[1]; sub(".*/", "", page) }
/^```/ {
	if (inside)
		close_block()
	else
		open_block(substr($0, 4))
	next
}
inside && !kind { next }
inside && /^# / {
	flush()
	begun = more = 1
	place = page ":" FNR
	command = substr($0, 3)
	next
}
inside && !begun { complain("output before the first command"); next }
inside && /^> / && more { command = command "\n" substr($0, 3); next }
inside { more = 0; expected = expected $0 "\n"; next }
/^<!-- breakage: [a-z_]+ -->$/ { broken = 1; print "break_it", $3; next }
/^<!--/ { complain("a comment that says nothing to the test") }
/^(    |\t| *~~~| +```)/ { complain("a block that is not executed") }
END {
	if (inside)
		complain("a block without an end")
	if (!broken)
		complain("no <!-- breakage: NAME -->")
	exit bad
}
