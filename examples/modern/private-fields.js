// private fields, methods and static blocks: a bank account
class Account {
  #balance = 0;
  #history = [];
  static #open = 0;
  static bank;
  static {
    Account.bank = 'First';
  }

  constructor(owner) {
    this.owner = owner;
    Account.#open++;
  }
  #note(kind, amount) {
    this.#history.push(`${kind} ${amount}`);
    return this;
  }
  deposit(amount) {
    if (!(amount > 0)) throw new RangeError('amount must be positive');
    this.#balance += amount;
    return this.#note('in', amount);
  }
  get balance() {
    return this.#balance;
  }
  get history() { return [...this.#history]; }
  static get open() { return Account.#open; }
  static is = (value) => #balance in value;
}

const account = new Account('Ada').deposit(50).deposit(25);
try {
  account.deposit(-1);
} catch (error) {
  console.error(error.message);
}
console.log(account, Object.keys(account), account['#balance']);
console.log(account.history, Account.open, Account.bank, Account.is(account), Account.is({}));
account.balance;
