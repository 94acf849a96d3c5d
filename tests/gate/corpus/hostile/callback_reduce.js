// hostile: eval chosen by a conditional, in a reduce
["1", "2"].reduce((sum, text) => sum + (sum ? eval : Number)(text), 0);
