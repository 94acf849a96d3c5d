# SPDX-License-Identifier: MIT
# awk -f output.awk EXPECTED GOT: does the output look as the runbook says? "..." within a line
# stands for any text, a line "..." for any lines; how many spaces there are does not count. Exits
# with 1 if not.
function plain(line) {
	gsub(/[ \t]+/, " ", line)
	sub(/^ /, "", line)
	sub(/ $/, "", line)
	return line
}

# Each piece between the dots as early as can be, the last one at the end.
function fits(line, wanted, at) {
	at = index(wanted, "...")
	if (!at)
		return line == wanted
	if (substr(line, 1, at - 1) != substr(wanted, 1, at - 1))
		return 0
	return fits_later(substr(line, at), substr(wanted, at + 3))
}

function fits_later(line, wanted, at, piece) {
	at = index(wanted, "...")
	if (!at)
		return length(line) >= length(wanted) &&
			substr(line, length(line) - length(wanted) + 1) == wanted
	piece = substr(wanted, 1, at - 1)
	if (!index(line, piece))
		return 0
	return fits_later(substr(line, index(line, piece) + length(piece)), substr(wanted, at + 3))
}

function matches(e, g, i) {
	if (e > wanted_count)
		return g > got_count
	if (wanted[e] == "...") {
		for (i = g; i <= got_count + 1; i++)
			if (matches(e + 1, i))
				return 1
		return 0
	}
	return g <= got_count && fits(got[g], wanted[e]) && matches(e + 1, g + 1)
}

FILENAME == ARGV[1] { wanted[++wanted_count] = plain($0); next }
{ got[++got_count] = plain($0) }
END { exit !matches(1, 1) }
