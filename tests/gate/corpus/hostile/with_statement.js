// hostile: eval named through with
with ({ e: "ev" + "al" }) {
	with (this) {
		globalThis[e]("1 + 1");
	}
}
