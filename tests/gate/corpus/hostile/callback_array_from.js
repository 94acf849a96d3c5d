// hostile: Function as a callback of Array.from
Array.from({ length: 2 }, Function).map((f) => f());
