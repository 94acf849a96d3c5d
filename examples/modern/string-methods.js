// strings: padding, slicing, code points, case, replaceAll
const title = (text) => text.toLowerCase().replace(/\b\p{L}/gu, (c) => c.toUpperCase());
const camel = (text) => text.replace(/[-_ ]+(.)/g, (_, c) => c.toUpperCase());
const reverse = (text) => [...text].reverse().join('');

console.log(title('the QUICK brown fox'), camel('make-me_camel case'));
console.log('7'.padStart(3, '0'), '|', 'ab'.padEnd(5, '.-'), '|', ' x '.trimStart() + '|');
console.log('a.b.c'.replaceAll('.', '/'), 'abcdef'.slice(-3, -1), 'abc'.at(-1));
console.log(reverse('añ😀b'), '😀'.length, [...'😀'].length, '😀'.codePointAt(0).toString(16));
console.log('a,b,,c'.split(','), 'abc'.split(''), 'one two'.includes('two'), 'file.js'.endsWith('.js'));
console.log('e\u0301'.normalize('NFC').length, 'x'.repeat(3), 'b'.localeCompare('a'), 'ß'.toUpperCase());

const caesar = (text, shift) =>
  text.replace(/[a-z]/gi, (c) => {
    const base = c <= 'Z' ? 65 : 97;
    return String.fromCharCode(((c.charCodeAt(0) - base + shift + 26) % 26) + base);
  });
console.log(caesar('Hello, World', 3));
const isPalindrome = (text) => {
  const letters = text.toLowerCase().replace(/[^a-z]/g, '');
  return letters === reverse(letters);
};
isPalindrome('A man, a plan, a canal: Panama');
