// hostile: every name becomes what a proxy says
with (new Proxy({}, { has: () => true, get: (t, k) => (k === "x" ? [].at.constructor : undefined) })) {
	x("return 1")();
}
