# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The manual as it is installed, and its examples as a reader copies them off the screen.
manual_pages=$QUOD_TEST_BUILD/man/installed

# manual_examples PAGE: the section EXAMPLES, as it is shown.
manual_examples() {
	mandoc -T ascii -O width=400 "$manual_pages/$1" | col -b | sed -n '/^EXAMPLES/,/^[A-Z]/p' | sed '1d;$d'
}

# manual_commands PAGE: what stands behind a prompt, each with the lines that continue it.
# Tabs at the beginning of a line are the page's margin.
manual_commands() {
	manual_examples "$1" | sed 's/^[	 ]*//' | awk -v "prompt=${2:-\$}" '
		index($0, prompt " ") == 1 { more = 1; $0 = substr($0, 3) }
		more { print; more = /\\$/ }'
}
