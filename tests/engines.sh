# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The engines that this build has, as configure found them. What they have to give they
# must give: a test asks for each of them, and one that is missing is a failure.
: "${QUOD_TEST_ENGINES:=duktape quickjs}"

engine_is_tested() {
	case " $QUOD_TEST_ENGINES " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}
