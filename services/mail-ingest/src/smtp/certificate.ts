import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { ConfigError, type Runtime } from '@intake/service';

/** Files of the certificate that STARTTLS shows, with its chain, and of its key, both PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const LOOK_MS = 30_000;

/** Reads certificate and key. Throws ConfigError when they are not there, cannot be read or do not belong together. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  try {
    const cert = readFileSync(certFile, 'utf8');
    const key = readFileSync(keyFile, 'utf8');
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key is not the one of the certificate');
    return { cert, key };
  } catch (error) {
    throw new ConfigError(`INTAKE_SMTP_TLS_CERT and INTAKE_SMTP_TLS_KEY: ${(error as Error).message}`);
  }
}

/** Calls `use` when the certificate was renewed; one that cannot be used is logged, and the one before stays. */
export function followCertificate(
  runtime: Runtime,
  files: CertificateFiles,
  use: (renewed: Certificate) => void,
): void {
  const { certFile, keyFile } = files;
  const onChange = () => {
    try {
      use(readCertificate(files));
      runtime.log.info({ certFile }, 'the certificate of SMTP was renewed');
    } catch (error) {
      runtime.log.error({ err: error }, 'the new certificate of SMTP cannot be used; the one before stays');
    }
  };
  for (const file of [certFile, keyFile]) watchFile(file, { interval: LOOK_MS, persistent: false }, onChange);
  runtime.onStop('certificate of SMTP', async () => {
    for (const file of [certFile, keyFile]) unwatchFile(file, onChange);
  });
}
