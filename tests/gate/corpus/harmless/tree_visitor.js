// harmless: visit methods called by a name that is put together
class Visitor {
	visit(node) { return this["visit" + node.type](node); }
	visitNumber(node) { return node.value; }
	visitSum(node) { return node.parts.reduce((sum, part) => sum + this.visit(part), 0); }
	visitEval(node) { return this.visit(node.body); }
}
new Visitor().visit({ type: "Eval", body: { type: "Sum", parts: [{ type: "Number", value: 2 }, { type: "Number", value: 3 }] } }) === 5;
