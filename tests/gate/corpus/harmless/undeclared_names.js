// harmless: forgets to declare its variables
total = 0;
names = ["a", "b", "c"];
for (i = 0; i < names.length; i++) total += names[i].length;
show = function (value) { return String(value); };
show(total) === "3";
