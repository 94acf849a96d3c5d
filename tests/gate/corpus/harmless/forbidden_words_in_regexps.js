// harmless: the words are in regular expressions
const rules = [/\beval\s*\(/, /\bnew\s+Function\b/, /\brequire\s*\(['"]child_process['"]\)/, /\bimport\s*\(/];
const count = (text) => rules.filter((rule) => rule.test(text)).length;
count("eval (x); new Function('y')") === 2;
