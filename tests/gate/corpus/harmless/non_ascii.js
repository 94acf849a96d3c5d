// harmless: names and strings that are not ASCII; é is written as an escape once
const größe = { straße: 3, 名前: "値", "🙂": true };
const caf\u00e9 = "caf\u00e9";
const π = Math.PI, Δ = (a, b) => Math.abs(a - b);
const ключи = Object.keys(größe);
ключи.length === 3 && café.length === 4 && [..."🙂🙃"].length === 2 && Δ(π, 3) < 0.2;
