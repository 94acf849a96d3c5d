// hostile: eval, by Reflect.apply
Reflect.apply(eval, null, ["1 + 1"]);
