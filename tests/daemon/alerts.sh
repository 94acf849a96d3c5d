#!/bin/sh
# SPDX-License-Identifier: MIT
# The alerts and the dashboard: promtool understands them, each alert fires and clears, each
# names a runbook that there is, and what they ask for is what a daemon tells.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
where=$QUOD_TEST_SOURCE/packaging/prometheus
rules=$where/quodd.rules.yml
cases=$where/quodd.rules.test.yml
dashboard=$where/dashboard.json

alerts() {
	sed -n 's/^ *- alert: //p' "$rules"
}

# The rules of the tests, as "NAME fires|rests TITLE", in the order in which they are judged.
verdicts() {
	awk '
		function flush() {
			if (alert != "")
				print alert, (fires ? "fires" : "rests"), title
			alert = ""
			fires = 0
		}
		/^  - name: / { flush(); title = substr($0, 11) }
		/eval_time:/ { flush() }
		/alertname: / { sub(/.*alertname: /, ""); sub(/[},].*/, ""); alert = $0 }
		/exp_labels: / { fires = 1 }
		END { flush() }' "$cases"
}

test_each() {
	verdicts >"$dir/verdicts"
	holds 'there are alerts' test "$(alerts | wc -l)" -ge 12
	is "$(grep -c '^          severity: \(critical\|warning\)$' "$rules")" "$(alerts | wc -l)" \
		'each has a severity'
	for alert in $(alerts | sort -u); do
		holds "$alert rests where all is well" grep -q "^$alert rests all is well$" "$dir/verdicts"
		is "$(awk -v "alert=$alert" '$1 == alert && !/all is well/ { print $2 }' "$dir/verdicts" | uniq | tr '\n' ' ' |
			sed 's/fires rests //g')" '' "$alert fires and then clears"
		holds "$alert is in those tests" grep -q "^$alert fires " "$dir/verdicts"
	done
	# Of two rules of one name each has its test: they have texts of their own.
	sed -n 's/^          summary: //p' "$rules" | sed "s/^'//; s/'\$//; s/{{[^}]*}}/.*/g" >"$dir/summaries"
	is "$(wc -l <"$dir/summaries")" "$(alerts | wc -l)" 'each says what it is about'
	while read -r summary; do
		holds "a test has: $summary" grep -q -- "$summary" "$cases"
	done <"$dir/summaries"
}

test_runbooks() {
	sed -n 's/^ *runbook: //p' "$rules" >"$dir/runbooks"
	is "$(wc -l <"$dir/runbooks")" "$(alerts | wc -l)" 'each alert names a runbook'
	grep -o 'docs/runbooks/[a-z-]*\.md' "$dashboard" >>"$dir/runbooks"
	is "$(grep -v '^docs/runbooks/[a-z-]*\.md$' "$dir/runbooks")" '' 'by its path'
	for runbook in $(sort -u "$dir/runbooks"); do
		holds "there is $runbook" test -s "$QUOD_TEST_SOURCE/$runbook"
	done
}

# What a daemon that has run something tells, each series by its name and labels.
ask_daemon() {
	daemon_start
	post '{"source":"1"}' /v1/run
	get /metrics
	cp "$dir/out" "$dir/metrics"
	daemon_stop
}

# expressions: of the rules and of the dashboard, with a value for each variable of Grafana.
expressions() {
	awk '
		/^        [a-z]+:/ { on = 0 }
		/^        expr: / { on = 1; sub(/^        expr: (>-)?/, "") }
		on' "$rules"
	jq -r '.panels[].targets[].expr, (.templating.list[].definition // empty |
		sub("^label_values\\((?<metric>[a-z_]*), [a-z]*\\)$"; "\(.metric)"))' "$dashboard" |
		sed 's/\$__rate_interval/5m/g; s/\$instance/.*/g'
}

# label NAME: its values as the expressions have them, one a line.
label() {
	grep -o "$1=~*\"[^\"]*\"" "$dir/expressions" | sed 's/.*"\(.*\)"/\1/' | tr '|' '\n' | sort -u
}

test_names() {
	expressions >"$dir/expressions"
	grep -oE '\b(quod|process)_[a-z_]+' "$dir/expressions" | sort -u >"$dir/names"
	holds 'they ask for many things' test "$(wc -l <"$dir/names")" -ge 20
	while read -r name; do
		holds "quodd tells $name" grep -q "^${name}[ {]" "$dir/metrics"
	done <"$dir/names"
	for reason in $(label reason); do
		holds "there is the reason $reason" grep -q "^quod_refusals_total{.*reason=\"$reason\"" "$dir/metrics"
	done
	for status in $(label status); do
		holds "there is the status $status" grep -q "^quod_run_ends_total{status=\"$status\"" "$dir/metrics"
	done
	is "$(grep -oE '\b[a-z_]+ *(=~|=|!=|!~) *"' "$dir/expressions" | sed 's/[ =~!"]*$//' | sort -u | tr '\n' ' ')" \
		'instance job reason status ' 'they ask for no other label'
	# What they sum by.
	for by in $(grep -oE 'by \([a-z, ]*\)' "$dir/expressions" | tr -d '(),' | tr ' ' '\n' | grep -v '^by$' | sort -u); do
		case $by in
		instance | job) ;;
		*) holds "there is the label $by" grep -q "[{,]$by=\"" "$dir/metrics" ;;
		esac
	done
}

test_dashboard() {
	is "$(jq -r '[.uid, .schemaVersion >= 36, (.panels | map(.id) | length == (unique | length))] | join(" ")' "$dashboard")" \
		'quodd true true' 'the dashboard: panels have ids of their own'
	is "$(jq -r '[.panels[] | select(.gridPos | .x + .w > 24 or .y + .h > 26)] | length' "$dashboard")" 0 \
		'all of it is on one screen'
	is "$(jq -r '[.panels[].gridPos | . as $p | range(.x; .x + .w) | . as $x | range($p.y; $p.y + $p.h) | [$x, .]] |
		length == (unique | length)' "$dashboard")" true 'and no panel lies on another'
	is "$(jq -r '[.panels[].targets[], .panels[], (.templating.list[] | select(.type == "query"))] |
		map(.datasource.uid) | unique | join(" ")' "$dashboard")" "\${datasource}" 'each asks the source that was chosen'
}

# Each expression as a rule of its own, of which JSON is a way to write them.
dashboard_rules() {
	jq '{groups: [{name: "dashboard", rules: [.panels[].targets[].expr |
		gsub("[$]__rate_interval"; "5m") | gsub("[$]instance"; ".*")] |
		to_entries | map({record: "x\(.key)", expr: .value})}]}' "$dashboard"
}

test_promtool() {
	promtool=${PROMTOOL:-$(command -v promtool)}
	if [ -z "$promtool" ]; then
		skip 'promtool' "there is none: packaging/prometheus/fetch-promtool DIRECTORY, then PROMTOOL=DIRECTORY/promtool"
		return
	fi
	holds 'promtool: the rules' "$promtool" check rules "$rules"
	holds 'promtool: each alert fires and clears' "$promtool" test rules "$cases"
	holds 'promtool: the example of a configuration' \
		"$promtool" check config --syntax-only "$where/prometheus.yml"
	dashboard_rules >"$dir/dashboard.yml"
	holds 'promtool: what the dashboard asks' "$promtool" check rules "$dir/dashboard.yml"
	is "$("$promtool" check rules "$dir/dashboard.yml" 2>&1 | sed -n 's/.* \([0-9]*\) rules found/\1/p')" \
		"$(jq '[.panels[].targets[]] | length' "$dashboard")" 'all of it'
}

test_each
test_runbooks
test_dashboard
ask_daemon
test_names
[ "$QUOD_TEST_MODE" != caller ] || test_promtool
tap_done
