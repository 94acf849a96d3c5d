// harmless: statics through this.constructor, a counter per class
class Model {
	static create(fields) { return Object.assign(new this(), fields); }
	static get table() { return this.name.toLowerCase() + "s"; }
	save() {
		this.constructor.saved = (this.constructor.saved || 0) + 1;
		return this.constructor.table + "/" + this.constructor.saved;
	}
}
class User extends Model {}
User.create({ name: "a" }).save();
User.create({ name: "b" }).save() === "users/2";
