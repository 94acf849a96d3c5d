// hostile: eval as the default of a parameter
function calculate(text, engine = eval) {
	return engine(text);
}
calculate("1 + 1");
