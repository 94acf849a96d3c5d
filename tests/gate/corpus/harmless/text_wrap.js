// harmless: escapes in strings and regexps, soft hyphens and control characters
var ansi = /\u001b\[[0-9;]*m/g;
var names = { "\n": "line feed", "\t": "tab", "\x07": "bell", "\u00ad": "soft hyphen" };
function plain(text) {
	return text.replace(ansi, "").replace(/[\x00-\x08\x0b-\x1f]/g, function (c) { return "<" + (names[c] || c.charCodeAt(0)) + ">"; });
}
plain("\u001b[31mred\u001b[0m\x07") === "red<bell>";
