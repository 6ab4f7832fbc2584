import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigError } from '@intake/service';

/** Encrypts what must not stand in the database as it is. */
export interface Vault {
  /** Any JSON value as a sealed text. */
  seal(value: unknown): string;
  /** Throws when the text was sealed with another key, or changed. */
  open(sealed: string): unknown;
  /** The text sealed anew when it was sealed with a passphrase of before; null: with the one of now. Throws as `open` does. */
  reseal(sealed: string): string | null;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a key made from a passphrase; what those of before have sealed is opened too. Sealed texts begin with the version of the form: `1.`. */
export function createVault(passphrase: string, before: readonly string[] = []): Vault {
  const [key, ...oldKeys] = [passphrase, ...before].map(toKey) as [Buffer, ...Buffer[]];
  const seal = (value: unknown): string => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return `1.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
  };
  const openOld = (sealed: string, problem: unknown): unknown => {
    for (const oldKey of oldKeys) {
      try {
        return openWith(oldKey, sealed);
      } catch {
        // Perhaps the next one fits.
      }
    }
    throw problem;
  };
  return {
    seal,
    open(sealed) {
      try {
        return openWith(key, sealed);
      } catch (problem) {
        return openOld(sealed, problem);
      }
    },
    reseal(sealed) {
      try {
        openWith(key, sealed);
        return null;
      } catch (problem) {
        return seal(openOld(sealed, problem));
      }
    },
  };
}

function toKey(passphrase: string): Buffer {
  return Buffer.from(hkdfSync('sha256', passphrase, 'intake', 'secrets of hooks and connectors', 32));
}

function openWith(key: Buffer, sealed: string): unknown {
  const bytes = Buffer.from(sealed.slice(2), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8'));
}

/** Stored objects with secrets. */
export interface SealedRows {
  findEverywhere(filter: Record<string, never>): Promise<readonly { readonly id: number; readonly sealed: string }[]>;
  exchange(id: number, field: 'sealed', before: string, after: string): Promise<void>;
}

/** Seals anew what passphrases of before have sealed. Throws ConfigError when something was sealed with none of those that are given. */
export async function resealAll(what: string, vault: Vault, rows: SealedRows): Promise<void> {
  for (const { id, sealed } of await rows.findEverywhere({})) {
    const renewed = resealOrExplain(`${what} ${id}`, vault, sealed);
    if (renewed) await rows.exchange(id, 'sealed', sealed, renewed);
  }
}

function resealOrExplain(what: string, vault: Vault, sealed: string): string | null {
  try {
    return vault.reseal(sealed);
  } catch {
    throw new ConfigError(
      `INTAKE_ENCRYPTION_KEY is not the one with which the secrets of ${what} were encrypted: set it (without one, ` +
        'INTAKE_RPC_SECRET) to what it was, or INTAKE_ENCRYPTION_KEY_PREVIOUS when it was changed.',
    );
  }
}
