# SPDX-License-Identifier: MIT
# Reads what suite.sh writes; prints a line for each test, what failed, and into the file
# `totals` two numbers: passed and failed. Variables: guest, totals.
# A test that says nothing of what it does has failed, and so has a guest that does not
# come to its end.

# Whole lines: two of us write to one place.
function tell(line) {
	print line
	fflush()
}
function bad(why) {
	failed++
	here_failed++
	tell(guest ": " test ": " why)
}
function finish() {
	if (plan == "" || plan + 0 != results)
		bad("plan '" plan "', but " results " results")
	else if (status != 0 && here_failed == 0)
		bad("exit status " status)
	tell(guest ": " test ": " here_passed + 0 " passed, " here_failed + 0 " failed, " \
		seconds " s")
	test = ""
}
{ sub(/\r$/, "") }
/^#vm begin / {
	test = $4 " as " $3
	plan = ""
	results = here_passed = here_failed = failing = 0
	next
}
/^#vm end / {
	status = $3
	seconds = $4
	finish()
	next
}
/^#vm done/ { done = 1; next }
/^#vm / { test = "start"; bad(substr($0, 5)); test = ""; next }
test == "" { next }
/^(not )?ok / {
	results++
	failing = 0
	# The guests are there so that nothing need be left out.
	if ($1 == "not" || $0 ~ /# *SKIP/) {
		bad($0)
		failing = 1
	} else {
		passed++
		here_passed++
	}
	next
}
/^1\.\./ { plan = substr($1, 4); next }
/^#/ && (failing || /^# stderr/) { tell("    " $0) }
END {
	if (test != "")
		bad("no end")
	test = "the guest"
	if (!done)
		bad("did not come to its end")
	print passed + 0, failed + 0, done + 0 >totals
}
