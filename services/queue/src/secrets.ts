import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts what must not stand in the database as it is. */
export interface Vault {
  /** Any JSON value as a sealed text. */
  seal(value: unknown): string;
  /** Throws when the text was sealed with another key, or changed. */
  open(sealed: string): unknown;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a key made from a passphrase. Sealed texts begin with the version of the form: `1.`. */
export function createVault(passphrase: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', passphrase, 'intake', 'secrets of hooks and connectors', 32));
  return {
    seal(value) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return `1.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.slice(2), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(text.toString('utf8'));
    },
  };
}
