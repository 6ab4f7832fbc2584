import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Algorithms of JWTs. API: auth.md section 5. */
export type JwtAlgorithm = 'EdDSA' | 'RS512';

const MIN_RSA_BITS = 2048;

/**
 * Reads a public key given as PEM (SPKI) or as JSON text of a JWK: Ed25519, Ed448, or RSA of at least 2048 bits.
 * Throws an Error whose message is for the client. API: auth.md section 7.
 */
export function readPublicKey(given: string): { algorithm: JwtAlgorithm; pem: string; key: KeyObject } {
  const key = parse(given.trim());
  return { algorithm: algorithmOf(key), pem: key.export({ type: 'spki', format: 'pem' }).toString(), key };
}

function parse(given: string): KeyObject {
  try {
    if (given.startsWith('{')) {
      const jwk = JSON.parse(given) as JsonWebKey;
      if (jwk.d === undefined && jwk.k === undefined) return createPublicKey({ key: jwk, format: 'jwk' });
    }
    // A private key would be read as well, and its public half taken.
    else if (/^-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----$/.test(given)) return createPublicKey(given);
  } catch {
    throw new Error('The public key cannot be read.');
  }
  throw new Error('The key must be a public one, as PEM (SPKI) or JWK.');
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): JwtAlgorithm {
  if (type === 'ed25519' || type === 'ed448') return 'EdDSA';
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return 'RS512';
  throw new Error(`The key must be Ed25519, Ed448, or RSA of at least ${MIN_RSA_BITS} bits.`);
}
