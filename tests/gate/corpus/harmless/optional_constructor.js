// harmless: errors told apart by constructor.name and by instanceof
class ValidationError extends Error {
	constructor(field, ...rest) {
		super(...rest);
		this.name = this.constructor.name;
		this.field = field;
		Error.captureStackTrace?.(this, ValidationError);
	}
}
function check(value) {
	try {
		if (value < 0) throw new ValidationError("value", "negative");
		return "fine";
	} catch (error) {
		return `${error?.constructor?.name}: ${error.field}`;
	}
}
check(-1) === "ValidationError: value" && check(1) === "fine";
