import { ensurePython } from './python.mjs';

/** The package that brings PP-OCR with its models, and what runs them. As in deploy/Dockerfile. */
export const PPOCR = ['rapidocr==3.10.0', 'onnxruntime==1.32.0'];

/**
 * Where PP-OCR is, for `INTAKE_PPOCR_PYTHON`: as the environment says, else installed into the cache (0.4 GB). Never fails: without it pages that
 * Tesseract reads badly are not read again.
 * @param {{env: NodeJS.ProcessEnv, cacheDir: string, log: (line: string) => void}} options
 * @returns {Promise<string>} path of a Python; empty: there is none
 */
export async function ensurePpocr({ env, cacheDir, log }) {
  if (env.INTAKE_PPOCR_PYTHON !== undefined || env.INTAKE_SKIP_PROGRAMS === '1') return env.INTAKE_PPOCR_PYTHON ?? '';
  try {
    return await ensurePython(PPOCR, { cacheDir, log, what: 'PP-OCR' });
  } catch (error) {
    log(
      `Missing: PP-OCR (a second opinion on bad scans and photos; "INTAKE_PPOCR_PYTHON=" leaves it out): ${error.message}`,
    );
    return '';
  }
}
