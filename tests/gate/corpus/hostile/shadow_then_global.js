// hostile: `var eval` at the top takes nothing away
if (0) var eval;
eval("1 + 1");
