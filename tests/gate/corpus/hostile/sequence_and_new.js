// hostile: new over a constructor picked from a sequence
new (1, 2, (() => {}).constructor)("return 1")();
