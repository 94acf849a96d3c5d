# SPDX-License-Identifier: MIT
# In fish. What follows these functions is made of the tables of commands and options.

function __quod_policies
	quod policy list 2>/dev/null | string replace -r ' +' \t
end

# __quod_command_is NAME: the first word behind quod; "" where there is none yet.
function __quod_command_is
	set -l words (commandline -opc)
	test "$words[2]" = "$argv[1]"
end

