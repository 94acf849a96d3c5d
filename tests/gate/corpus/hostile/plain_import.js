// hostile: import() of a module of the host
async function read() {
	const fs = await import("node:fs/promises");
	return fs.readFile("/etc/passwd", "utf8");
}
read();
