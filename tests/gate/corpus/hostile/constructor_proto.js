// hostile: Function, by __proto__
(class {}).__proto__.constructor("return 1")();
