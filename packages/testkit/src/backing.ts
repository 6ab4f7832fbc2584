/** Addresses of the backing services that the tests may use. */
export interface Backing {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly s3: { readonly url: string; readonly accessKey: string; readonly secretKey: string };
}

/** The backing services that `npm test` started. Throws when there are none. */
export function backing(): Backing {
  return {
    mongodbUrl: readTestVariable('INTAKE_TEST_MONGODB_URL'),
    natsUrl: readTestVariable('INTAKE_TEST_NATS_URL'),
    s3: {
      url: readTestVariable('INTAKE_TEST_S3_URL'),
      accessKey: readTestVariable('INTAKE_TEST_S3_ACCESS_KEY'),
      secretKey: readTestVariable('INTAKE_TEST_S3_SECRET_KEY'),
    },
  };
}

/** A variable that `npm test` sets for the tests. Throws when it is missing. */
export function readTestVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests through "npm test -- <path>"`);
  return value;
}
