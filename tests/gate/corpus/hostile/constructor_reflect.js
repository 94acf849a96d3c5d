// hostile: Function, by Reflect.get
Reflect.get(parseInt, "con" + "structor")("return 1")();
