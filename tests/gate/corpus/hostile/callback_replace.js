// hostile: eval as the replacement of a pattern, Function among the callbacks of a sort
"1 + 1".replace(/.+/, eval);
["a", "b"].sort(Math.max.constructor);
