#!/bin/sh
# SPDX-License-Identifier: MIT
# The gate's memory: all comes back, and wherever it is refused the analysis ends by
# exhausted(), at every single request. Nesting meets no native stack.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

gate=$QUOD_TEST_BUILD/tests/gate/gate
here=$QUOD_TEST_SOURCE/tests/gate

# refused SOURCE NAME
refused() {
	"$gate" --builtin --refuse "$1" >"$dir/told" 2>&1
	is "$? $(sed 's/refused \([0-9]*\) told \1 left 0/all/' "$dir/told")" '0 all' \
		"refused at every request: $2"
}

refused "$here/corpus/hostile/jsfuck.js" 'much is folded'
refused "$here/corpus/harmless/json_parser.js" 'much is parsed'
refused "$here/grammar.js" 'every construct, and errors'
: >"$dir/empty.js"
refused "$dir/empty.js" 'an empty source'

# left SOURCE NAME: nothing recurses as deep as the source is, so a small stack does.
left() {
	prlimit --stack=262144 "$gate" --builtin "$1" >"$dir/told" 2>&1
	is "$? $(sed -n 's/^complexity .* left //p' "$dir/told")" '0 0' "a small stack: $2"
}

# many N TEXT
many() {
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) printf "%s", text }'
}

for text in '[' '(' '{' 'a.' 'a+' '!' 'a?' 'if(a)' 'x=>' 'f(' 'for(;;)' 'a=' '[a,...' 'new ' \
	'({a:' 'function f(){' '`${' 'a[' 'a?.' 'async()=>' 'class A{a=' '<a>' 'a**' '"' '/*' '"+"'; do
	many 20000 "$text" >"$dir/deep.js"
	left "$dir/deep.js" "20,000 times $(printf '%s' "$text" | tr '#' '~')"
done
{ many 20000 '['; many 20000 ']'; } >"$dir/deep.js"
left "$dir/deep.js" 'brackets that close'
{ printf 'var a = '; many 20000 'x + '; echo 1; } >"$dir/deep.js"
left "$dir/deep.js" 'a long sum'
{ many 10000 'var x = x + 1; '; } >"$dir/deep.js"
left "$dir/deep.js" 'a variable that is written often'
{ many 3000 'function f(a) { return f; } '; many 3000 'f('; many 3000 ')'; } >"$dir/deep.js"
left "$dir/deep.js" 'functions that return themselves'
{
	many 900 'Reflect.apply(Reflect.apply, null, [' && many 900 '])'
} >"$dir/deep.js"
left "$dir/deep.js" 'detours in detours'
{
	printf 'var x = ' && many 900 'Object.getOwnPropertyDescriptors(' &&
		printf 'this' && many 900 ')' && printf '; x' && many 900 '.a' && many 900 '.value'
} >"$dir/deep.js"
left "$dir/deep.js" 'descriptors of descriptors'
tap_done
