/** Jest transform for ESM that makes its own `require` and `__dirname`: as CommonJS it has them already. */
const swc = require('@swc/jest').createTransformer({ jsc: { target: 'es2022' }, module: { type: 'commonjs' } });

module.exports = {
  process: (source, file, options) =>
    swc.process(source.replace(/^const (require|__dirname) = .*$/gm, ''), file, options),
};
