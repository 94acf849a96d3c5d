// harmless: methods added to String.prototype
String.prototype.toTitle = function () {
	return this.replace(/\b\w/g, (letter) => letter.toUpperCase());
};
Object.defineProperty(String.prototype, "isBlank", { get() { return this.trim() === ""; } });
"the quick fox".toTitle() === "The Quick Fox" && "  ".isBlank;
