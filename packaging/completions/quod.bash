# SPDX-License-Identifier: MIT
# quod and quodd in bash. The functions at the end are made of the tables of their options.

# _quod_kind KIND: sets COMPREPLY to what of that kind begins with $cur.
_quod_kind() {
	case $1 in
	FILE)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	DIRECTORY)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		;;
	POLICY)
		mapfile -t COMPREPLY < <(compgen -W "$(quod policy list 2>/dev/null | cut -d ' ' -f 1)" -- "$cur")
		case $cur in */*) _quod_kind FILE ;; esac
		;;
	USER) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$(_quod_words "$1")" -- "$cur") ;;
	esac
}

# _quod_option COMMAND: the word is an option of it, or belongs to one. False: neither.
_quod_option() {
	local name kind names=
	while read -r name kind; do
		if [ -n "$name" ] && [ "$name" = "$prev" ] && [ "$kind" != FLAG ]; then
			_quod_kind "$kind"
			return 0
		fi
		case " ${COMP_WORDS[*]:0:COMP_CWORD} " in
		*" $name "*) ;;
		*) names="$names $name" ;;
		esac
	done < <(_quod_options "$1")
	case $cur in
	-*) mapfile -t COMPREPLY < <(compgen -W "$names --help" -- "$cur") ;;
	*) return 1 ;;
	esac
}

# --name=VALUE comes as three words.
_quod_begin() {
	COMPREPLY=()
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
}

_quod() {
	local cur prev command=${COMP_WORDS[1]} word
	_quod_begin
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_quod_words commands) --help --version" -- "$cur")
		return
	fi
	# Behind -- stands a program, with options of its own.
	for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
		if [ "$word" = -- ]; then
			_quod_kind FILE
			return
		fi
	done
	_quod_option "$command" && return
	if [ "$command" != policy ]; then
		_quod_kind "$(_quod_operand "$command")"
	elif [ "$COMP_CWORD" = 2 ]; then
		_quod_kind policy
	elif [ "$COMP_CWORD" = 3 ]; then
		_quod_kind "$(_quod_operand "policy.${COMP_WORDS[2]}")"
	fi
}

_quod_daemon() {
	local cur prev
	_quod_begin
	_quod_option quodd
}

