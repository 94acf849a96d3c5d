# SPDX-License-Identifier: MIT
# In zsh. What follows these functions is made of the tables of commands and options.

_quod_policies() {
	local expl
	local -a quod_policies
	quod_policies=(${(f)"$(_call_program policies quod policy list 2>/dev/null)"})
	quod_policies=(${quod_policies%% *})
	_wanted policies expl policy compadd -a quod_policies
	_files
}

_quod_policy_operand() {
	case $words[2] in
	show) _quod_policies ;;
	test) _files ;;
	esac
}

_quod() {
	local curcontext=$curcontext state line
	typeset -A opt_args
	_arguments -C '(- *)--help[shows the commands]' '(- *)--version[shows the version]' \
		'1:command:->command' '*::argument:->argument'
	case $state in
	command) _describe -t commands command _quod_commands ;;
	argument) (( $+functions[_quod_command_$words[1]] )) && _quod_command_$words[1] ;;
	esac
}

