// hostile: eval as the `then` of a promise's value
Promise.resolve("1 + 1").then(eval).then(console.log);
