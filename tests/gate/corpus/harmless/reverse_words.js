// harmless: split, reverse and join, as in every interview
function reverseWords(text) {
	return text.split(" ").map(function (word) { return word.split("").reverse().join(""); }).join(" ");
}
function isPalindrome(text) {
	var plain = text.toLowerCase().replace(/[^a-z]/g, "");
	return plain === plain.split("").reverse().join("");
}
reverseWords("lave noitcnuF") === "eval Function" && isPalindrome("A man, a plan, a canal: Panama");
