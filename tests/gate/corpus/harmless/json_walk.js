// harmless: walks any JSON and collects the paths of its leaves
function paths(node, path = [], out = []) {
	if (node && typeof node === "object") {
		for (const key in node)
			if (Object.prototype.hasOwnProperty.call(node, key)) paths(node[key], path.concat(key), out);
	} else out.push(path.join(".") + "=" + node);
	return out;
}
paths({ process: { env: [1, 2] }, eval: true }).join(" ") === "process.env.0=1 process.env.1=2 eval=true";
