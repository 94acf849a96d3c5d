// errors: classes of one's own, causes, what finally sees
class AppError extends Error {
  constructor(message, { code = 'E_APP', ...options } = {}) {
    super(message, options);
    this.name = this.constructor.name;
    this.code = code;
  }
}
class ParseError extends AppError {}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ParseError(`cannot parse ${JSON.stringify(text)}`, { code: 'E_PARSE', cause });
  }
}

const causes = (error) => (error ? [error.name, ...causes(error.cause)] : []);
const results = [];
for (const text of ['{"ok":1}', '{oops']) {
  try {
    results.push(parse(text));
  } catch (error) {
    console.error(error.message, error.code, error instanceof AppError);
    results.push(causes(error));
  } finally {
    console.log('tried', text);
  }
}
console.log(String(new ParseError('x')), Object.keys(new AppError('y')));
results;
