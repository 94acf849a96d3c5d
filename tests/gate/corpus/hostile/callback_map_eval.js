// hostile: eval as a callback
["1 + 1", "2 + 2"].map(eval);
