import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { auth } from '@intake/contracts';
import { type Caller, type Client, Refusal, systemCaller } from '@intake/rpc';
import { currentContext, runInContext } from '@intake/service';
import { sessionOf } from './request/cookies';

/** How long a verified token is believed without asking again. */
const KEPT_MS = 5000;
const MOST_KEPT = 10_000;

interface Entry {
  readonly caller: Promise<Caller>;
  userId?: number;
  /** Its token is used up by the one call that asked. */
  oneTime?: boolean;
  until: number;
}

/** What of a request says who calls. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** Of the client, for passwords that are guessed. */
  readonly address: string;
}

/** Finds out who calls. */
export interface Authenticator {
  /**
   * The caller that the credentials of a request name (API: auth.md section 1).
   *
   * @param takesBasic whether the endpoint takes a user name and password
   * @throws NOT_AUTHENTICATED without header, INVALID_TOKEN, INVALID_BASIC_AUTH
   */
  authenticate(request: Credentials, takesBasic: boolean): Promise<Caller>;
  /** Forgets a token, or everything of a user when the hash is empty. */
  forget(revoked: { readonly tokenHash: string; readonly userId: number }): void;
}

/** The key of the token or session that a request comes with; null when it comes with neither. */
export function keyOf(headers: IncomingHttpHeaders, sessions: boolean): string | null {
  return tokenOf(headers.authorization) ?? (sessions ? (sessionOf(headers) ?? null) : null);
}

/** The token of a `Bearer` or `Token` header; null when there is none. */
export function tokenOf(header: string | undefined): string | null {
  return /^(?:Bearer|Token)[ ]+([^\s]+)[ ]*$/i.exec(header ?? '')?.[1] ?? null;
}

/** User name and password of a `Basic` header; null when it is none or broken. */
export function passwordOf(header: string | undefined): { username: string; password: string } | null {
  const encoded = /^Basic[ ]+([A-Za-z0-9+/_=-]+)[ ]*$/i.exec(header ?? '')?.[1];
  if (!encoded) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Asks the auth service, of cookies too where there are sessions, and believes its answer for a few seconds, or until it is revoked. */
export function createAuthenticator(
  service: Pick<Client<typeof auth.AuthServiceService>, 'verifyToken' | 'verifyPassword'>,
  sessions = false,
): Authenticator {
  const known = new Map<string, Entry>();
  const self = systemCaller('gateway');

  const remember = (key: string, verify: () => Promise<auth.Identity>): Promise<Caller> => {
    const now = Date.now();
    const kept = known.get(key);
    if (kept && kept.until > now) {
      return kept.caller.then((caller) => {
        if (kept.oneTime) throw new Refusal('INVALID_TOKEN');
        return caller;
      });
    }
    if (known.size >= MOST_KEPT) known.clear();
    const entry: Entry = {
      until: now + KEPT_MS,
      // Others may wait for the same answer: it is not cancelled when the first of them goes away.
      caller: runInContext({ ...currentContext(), signal: undefined }, verify).then(
        (identity) => {
          entry.userId = identity.userId;
          if (identity.oneTime) {
            entry.oneTime = true;
            if (known.get(key) === entry) known.delete(key);
          }
          entry.until = Math.min(entry.until, identity.expiresAt?.getTime() ?? entry.until);
          return toCaller(identity);
        },
        (error) => {
          if (known.get(key) === entry) known.delete(key);
          throw error;
        },
      ),
    };
    known.set(key, entry);
    return entry.caller;
  };

  return {
    async authenticate({ headers, address }, takesBasic) {
      const { authorization: header } = headers;
      const session = sessions ? sessionOf(headers) : undefined;
      if (session)
        return remember(sessionEntry(hash(session)), () => service.verifyToken({ key: session, session: true }, self));
      if (!header?.trim()) throw new Refusal('NOT_AUTHENTICATED');
      const token = tokenOf(header);
      if (token) return remember(hash(token), () => service.verifyToken({ key: token }, self));
      if (!takesBasic || !/^Basic\b/i.test(header)) throw new Refusal('INVALID_TOKEN');
      const pair = passwordOf(header);
      if (!pair) throw new Refusal('INVALID_BASIC_AUTH');
      return remember(`basic ${hash(`${pair.username}:${pair.password}`)}`, () =>
        service.verifyPassword({ ...pair, address }, self),
      ).catch((error) => {
        throw error instanceof Refusal && error.httpStatus === 401 ? new Refusal('INVALID_BASIC_AUTH') : error;
      });
    },
    forget({ tokenHash, userId }) {
      if (tokenHash) for (const key of [tokenHash, sessionEntry(tokenHash)]) known.delete(key);
      // An entry without a user is still being verified: what it will say may be out of date already.
      else for (const [key, entry] of known) if ((entry.userId ?? userId) === userId) known.delete(key);
    },
  };
}

/** A session is no token, so it is kept apart. */
function sessionEntry(keyHash: string): string {
  return `session ${keyHash}`;
}

/** SHA-256 in hex: what `auth.revoked` names a token by, and what is safe to keep of one. */
export function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function toCaller({ allQueues, queueIds, ...identity }: auth.Identity): Caller {
  const { organizationId, userId, username, roles, annotationId } = identity;
  const { initializedAnnotationId, arrivedUploadId, askedAnnotationId } = identity;
  return {
    ...{ kind: 'user', organizationId, userId, username, roles, queueIds: allQueues ? 'all' : queueIds },
    ...(annotationId !== undefined && { annotationId }),
    ...(initializedAnnotationId !== undefined && { initializedAnnotationId }),
    ...(arrivedUploadId !== undefined && { arrivedUploadId }),
    ...(askedAnnotationId !== undefined && { askedAnnotationId }),
  };
}
