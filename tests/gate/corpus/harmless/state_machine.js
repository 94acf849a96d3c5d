// harmless: a table of states, walked by computed keys
const machine = {
	state: "idle",
	transitions: {
		idle: { start: "running" },
		running: { pause: "paused", stop: "idle" },
		paused: { resume: "running", stop: "idle" },
	},
	dispatch(action) {
		const next = this.transitions[this.state][action];
		if (!next) throw new Error(`no ${action} in ${this.state}`);
		this.state = next;
		return this;
	},
};
machine.dispatch("start").dispatch("pause").dispatch("resume").state === "running";
