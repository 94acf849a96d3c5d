# SPDX-License-Identifier: MIT
# Is it Prometheus' text format, version 0.0.4, as a metric of ours has to be in it? Says what
# is wrong, one thing a line, or nothing.
#
# Each metric: HELP, TYPE, then its samples and nothing else's between them; a series once; a
# counter ends in _total; a histogram has its buckets in order, each at least as large as the
# one before, +Inf at the end, which is its count, and a sum.

function wrong(what) {
	print NR ": " what ": " $0
}

# Takes the labels of a sample off the front of `rest`; sets `le`.
function take_labels(    at, name, value, c) {
	le = ""
	at = 2
	while (substr(rest, at, 1) != "}") {
		if (!match(substr(rest, at), /^[a-zA-Z_][a-zA-Z0-9_]*="/))
			return 0
		name = substr(rest, at, RLENGTH - 2)
		if (name in has)
			return 0
		has[name] = 1
		at += RLENGTH
		value = ""
		while ((c = substr(rest, at, 1)) != "\"") {
			if (c == "")
				return 0
			if (c == "\\") {
				at++
				if (index("\\\"n", substr(rest, at, 1)) == 0)
					return 0
				c = c substr(rest, at, 1)
			}
			value = value c
			at++
		}
		at++
		if (name == "le")
			le = value
		if (substr(rest, at, 1) == ",")
			at++
		else if (substr(rest, at, 1) != "}")
			return 0
	}
	labels = substr(rest, 1, at)
	rest = substr(rest, at + 1)
	return 1
}

function end_metric() {
	if (metric == "")
		return
	if (!samples && metric != "quod_runs_total")
		wrong(metric " has no sample")
	if (type == "histogram" && (last_le != "+Inf" || !has_sum || !has_count))
		wrong(metric " is no whole histogram")
	if (type == "counter" && metric !~ /_total$/)
		wrong(metric " is a counter by another name")
}

function take_bucket() {
	if (le == "")
		return wrong("a bucket without a bound")
	if (last_le == "+Inf" || (last_le != "" && le != "+Inf" && le + 0 <= last_le + 0))
		wrong("a bucket out of order")
	if (value + 0 < last_count)
		wrong("a bucket below the one before")
	last_le = le
	last_count = value + 0
}

function take_sample(    part) {
	if (type == "histogram") {
		part = substr(name, length(metric) + 1)
		if (part == "_bucket")
			take_bucket()
		else if (part == "_sum")
			has_sum = 1
		else if (part == "_count") {
			has_count = 1
			if (value + 0 != last_count)
				wrong("the count is not the last bucket")
		} else
			wrong("no sample of a histogram")
	} else if (name != metric)
		wrong("a sample of another metric than " metric)
}

/^# HELP / {
	end_metric()
	metric = $3
	type = ""
	samples = has_sum = has_count = last_count = 0
	last_le = ""
	if (metric in helped)
		wrong("a metric twice")
	if (metric !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*$/ || NF < 4)
		wrong("no HELP")
	helped[metric] = 1
	next
}

/^# TYPE / {
	if ($3 != metric || type != "" || $4 !~ /^(counter|gauge|histogram)$/ || NF != 4)
		wrong("no TYPE, or not in its place")
	type = $4
	next
}

{
	if (type == "")
		wrong("a sample before its TYPE")
	if (!match($0, /^[a-zA-Z_:][a-zA-Z0-9_:]*/)) {
		wrong("no sample")
		next
	}
	name = substr($0, 1, RLENGTH)
	rest = substr($0, RLENGTH + 1)
	labels = le = ""
	split("", has)
	if (substr(rest, 1, 1) == "{" && !take_labels()) {
		wrong("no labels")
		next
	}
	if (rest !~ /^ (-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|\+Inf|-Inf|NaN)$/) {
		wrong("no value")
		next
	}
	value = substr(rest, 2)
	if ((name labels) in seen)
		wrong("a series twice")
	seen[name labels] = 1
	samples++
	take_sample()
}

END {
	end_metric()
	if (NR == 0)
		print "nothing at all"
}
