/** Pure tests stand beside the code; tests that start real processes are named `*.it.test.ts` and run after them. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/test'],
  // Of one test or hook: what starts real processes takes long on a busy machine.
  testTimeout: 180_000,
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/', '/.data/'],
  transform: {
    '/node_modules/@pydantic/monty/': '<rootDir>/packages/testkit/esm-as-cjs.cjs',
    '^.+\\.(t|j|mj)s$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  // Some packages load Node's own modules by dynamic import, which jest's sandbox has only where it was compiled away.
  transformIgnorePatterns: [
    '/node_modules/(?!(jose|openid-client|oauth4webapi|@pydantic/monty)/|mongodb/lib/runtime_adapters\\.js|@opentelemetry/otlp-exporter-base/)',
  ],
  moduleNameMapper: {
    '^@intake/(contracts|rpc|bus|mongo|service|schema|engine|untrusted|starter|testkit|urls|resources)$':
      '<rootDir>/packages/$1/src',
  },
};
