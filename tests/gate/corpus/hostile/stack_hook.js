// hostile: frames of the caller by prepareStackTrace, and their functions
Error.prepareStackTrace = (error, frames) => frames;
function probe() {
	const made = new Error().stack[0].getFunction();
	return made.constructor("return process")();
}
probe();
