// hostile: eval as a property of `this` at the top
this["ev" + "al"]("1 + 1");
