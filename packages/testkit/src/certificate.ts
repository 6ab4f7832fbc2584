import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** Makes a self-signed certificate for a host name in a folder. Answers the PEM files. */
export async function makeCertificate(
  folder: string,
  hostName = 'localhost',
): Promise<{ certFile: string; keyFile: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: hostName }], {
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: hostName },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { certFile, keyFile };
}
