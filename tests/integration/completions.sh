#!/bin/sh
# SPDX-License-Identifier: MIT
# Shells complete the command line of quod: each of them is asked what it would put there, for
# every command and every option that the help has.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
PATH=$QUOD_TEST_BUILD:$PATH
completions=$QUOD_TEST_BUILD/packaging/completions
commands='run check exec doctor policy status history cancel version'
programs=quod
[ ! -x "$QUOD_TEST_BUILD/quodd" ] || programs='quod quodd'

# Files to be completed, and a home of the test's own.
mkdir "$dir/here" "$dir/here/subdir" "$dir/home"
: >"$dir/here/script.js"
cd "$dir/here" || exit 99
HOME=$dir/home
XDG_CONFIG_HOME=$dir/home
XDG_DATA_HOME=$dir/home
export HOME XDG_CONFIG_HOME XDG_DATA_HOME
unset XDG_CACHE_HOME

# ask_SHELL LINE: what may stand for its last word, one a line. `= ` is typed as bash has it:
# as a word of its own.
ask_bash() {
	bash --norc --noprofile -c '
		. "$1/bash/${2%% *}"
		read -ra COMP_WORDS <<<"$2"
		case $2 in *" ") COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		COMP_LINE=$2
		COMP_POINT=${#2}
		function=$(complete -p "${COMP_WORDS[0]}" | sed "s/.*-F \([a-z_]*\).*/\1/")
		"$function"
		[ "${#COMPREPLY[@]}" = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$completions" "$1"
}

ask_fish() {
	fish -N -c 'source $argv[1]/fish/$argv[2].fish; complete -C $argv[3]' "$completions" "${1%% *}" "$1" | cut -f 1
}

# On a terminal of its own, as somebody sits there: a tab, then the line is thrown away.
ask_zsh() {
	zsh -f "$dir/ask.zsh" "$completions/zsh" "$1" | tr '\r\t ' '\n\n\n' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'
}
cat >"$dir/ask.zsh" <<'END'
zmodload zsh/zpty
export TERM=dumb
zpty z zsh -f -i
zpty -w z "stty rows 200 cols 200; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u
LISTMAX=10000; setopt no_beep; unsetopt list_ambiguous zle_bracketed_paste; PS1='rea''dy> '"
zpty -r -m z seen '*ready> '
zpty -w -n z "$2"$'\t\C-u'
zpty -w z "print DO""NE"
zpty -r -m z seen '*DONE*'
print -r -- ${seen%%print DONE*}
END

# offers LINE WORD...: each word is offered, by the shell of the hour.
offers() {
	offers_line=$1
	shift
	"ask_$shell" "$offers_line" >"$dir/offered" 2>&1 </dev/null
	for offers_word; do
		holds "$shell: $offers_line: $offers_word" grep -qx -- "$offers_word=*/*" "$dir/offered"
	done
}

# options_of COMMAND...: all long ones, as its help has them.
options_of() {
	"$@" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\) .*/\2/p'
}

test_options() {
	offers 'quod ' $commands
	for command in $commands; do
		options=$(options_of quod "$command")
		# shellcheck disable=SC2086 # words
		[ -z "$options" ] || offers "quod $command --" $options
	done
	# shellcheck disable=SC2046 # words
	[ "$programs" = quod ] || offers 'quodd --' $(options_of quodd)
}

test_values() {
	offers 'quod run --engine ' auto duktape quickjs
	offers 'quod run --mode ' strict standard off
	offers 'quod run -o ' text json ndjson
	offers 'quod status -o ' text json
	offers 'quod history --status ' running ok timeout internal_error
	offers 'quod doctor --for ' run quodd rootless container
	offers 'quod run -p ' default verify open
	offers 'quod policy ' list show test
	offers 'quod policy show ' default verify open
	offers 'quod policy test ' script.js subdir
	offers 'quod run ' script.js
	offers 'quod run --cgroup ' subdir
	holds "$shell: no directory is a file" sh -c '! grep -q script.js "$1"' sh "$dir/offered"
	offers 'quod run --cases ' script.js
}

test_bash() {
	offers 'quod run --engine = q' quickjs
	offers 'quod exec --memory 8M -- ' script.js
	is "$(ask_bash 'quod run --verdict --verd')" '' 'bash: what is given already is not offered again'
	is "$(ask_bash 'quod run --seed ')" '' 'bash: for a number nothing is'
	is "$(ask_bash 'quod --vers')" --version 'bash: quod --version'
}

holds 'the options of quod run are many' test "$(options_of quod run | wc -l)" -ge 15
is "$("$quod" --help | sed -n 's/^  quod \([a-z]*\) .*/\1/p' | tr '\n' ' ')" "$commands " 'all commands are asked for'
for shell in bash fish zsh; do
	if ! command -v "$shell" >/dev/null; then
		[ "$QUOD_TEST_MODE" != caller ] || skip "$shell" 'it is not installed'
		continue
	fi
	# A shell is the same for everybody; it takes a while.
	[ "$shell" = bash ] || [ "$QUOD_TEST_MODE" = caller ] || continue
	test_options
	test_values
done
shell=bash
test_bash
tap_done
