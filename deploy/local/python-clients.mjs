import { PPOCR } from './ppocr.mjs';
import { ensurePython } from './python.mjs';

/**
 * The public clients that must work against Intake unchanged, each with the newest of their dependencies that they still work
 * with, what tries the API by its own description, what knows the objects of Kubernetes, what reads exported files, and PP-OCR; with
 * the variable that tells the tests of its Python.
 */
const CLIENTS = [
  { variable: 'INTAKE_TEST_PYTHON', packages: ['rossum-api==3.17.0'] },
  { variable: 'INTAKE_TEST_ROSSUM_PYTHON', packages: ['rossum==3.18.0', 'click==8.1.8'] },
  { variable: 'INTAKE_TEST_SCHEMATHESIS_PYTHON', packages: ['schemathesis==4.32.5'] },
  { variable: 'INTAKE_TEST_KUBERNETES_PYTHON', packages: ['kubernetes-validate==1.34.1'] },
  { variable: 'INTAKE_TEST_READERS_PYTHON', packages: ['lxml==6.1.3', 'openpyxl==3.1.5'] },
  { variable: 'INTAKE_TEST_PPOCR_PYTHON', packages: PPOCR },
  { variable: 'INTAKE_TEST_ELISCTL_PYTHON', packages: ['elisctl==2.10.2', 'click==8.0.4', 'openpyxl==3.0.10'] },
];

/**
 * A Python for each client, for the tests that use it; made once in the cache.
 * @param {{cacheDir: string, log: (line: string) => void}} options
 * @returns {Promise<Record<string, string>>} for the environment of the tests: a variable per client, or `<variable>_PROBLEM`
 */
export async function preparePythonClients({ cacheDir, log }) {
  const prepared = [];
  for (const client of CLIENTS) prepared.push(await prepareClient(client, { cacheDir, log }));
  return Object.assign({}, ...prepared);
}

async function prepareClient({ variable, packages }, { cacheDir, log }) {
  try {
    return { [variable]: await ensurePython(packages, { cacheDir, log, what: 'Python client' }) };
  } catch (error) {
    log(`Python client: ${error.message}`);
    return { [`${variable}_PROBLEM`]: `Python 3 with venv is needed for this test: ${error.message}` };
  }
}
