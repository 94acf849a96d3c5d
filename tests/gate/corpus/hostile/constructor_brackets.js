// hostile: Function by constructor, in brackets and in pieces
const k = "const" + "ructor";
({})[k][k]("return this")();
