import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from './errors';

/** On whose behalf an rpc is made. Every query of a service is scoped by it. */
export interface Caller {
  /** `user`: verified by the gateway. `system`: a service doing its own work. */
  readonly kind: 'user' | 'system';
  /** Of a user always; of a system caller the organization it works for, or null when it works for none. */
  readonly organizationId: number | null;
  readonly userId: number | null;
  /** User name, or the name of the service. */
  readonly username: string;
  /** Role names (API: auth.md section 8). */
  readonly roles: readonly string[];
  /** Queues the caller may see inside its organization. */
  readonly queueIds: readonly number[] | 'all';
  /** At the gateway, of a token for one annotation alone: that annotation. */
  readonly annotationId?: number;
  /** Of a token of an extension that is asked about an annotation before anybody sees it: that annotation. */
  readonly initializedAnnotationId?: number;
  /** Of a token of an extension that is asked about an upload before it is imported: that upload. */
  readonly arrivedUploadId?: number;
  /** Of a token of an extension that is asked about the content of an annotation: that annotation. */
  readonly askedAnnotationId?: number;
}

const LIFETIME_MS = 120_000;

/** A service's own work, for one organization (or none: start-up, resolving an address). */
export function systemCaller(service: string, organizationId: number | null = null): Caller {
  return { kind: 'system', organizationId, userId: null, username: service, roles: [], queueIds: 'all' };
}

/** The organization the caller acts in; a caller without one is refused as PERMISSION_DENIED. */
export function organizationOf(caller: Caller): number {
  if (caller.organizationId === null) throw new Refusal('PERMISSION_DENIED');
  return caller.organizationId;
}

/** Refuses everybody but services. */
export function requireSystem(caller: Caller): void {
  if (caller.kind !== 'system') throw new Refusal('PERMISSION_DENIED');
}

const ADMIN_ROLES: readonly string[] = ['admin', 'organization_group_admin'];

/** Refuses everybody but admins of the organization and services. API: auth.md section 8. */
export function requireAdmin(caller: Caller): void {
  if (caller.kind === 'system' || caller.roles.some((role) => ADMIN_ROLES.includes(role))) return;
  throw new Refusal('PERMISSION_DENIED');
}

/** Whether the caller may see a queue of its own organization. */
export function seesQueue(caller: Caller, queueId: number): boolean {
  return caller.queueIds === 'all' || caller.queueIds.includes(queueId);
}

/** Writes a caller into an rpc's metadata: payload and its HMAC-SHA256, good for two minutes. */
export function signCaller(caller: Caller, secret: string, now = Date.now()): string {
  const payload = Buffer.from(JSON.stringify({ ...caller, exp: now + LIFETIME_MS })).toString('base64url');
  return `${payload}.${mac(payload, secret)}`;
}

/** Reads a caller out of an rpc's metadata. Throws UNVERIFIED_CALLER when it is missing, forged or too old. */
export function verifyCaller(signed: string | undefined, secret: string, now = Date.now()): Caller {
  const [payload, signature] = (signed ?? '').split('.');
  if (!payload || !signature) throw new Refusal('UNVERIFIED_CALLER', { cause: 'caller metadata is missing' });
  const expected = Buffer.from(mac(payload, secret));
  const given = Buffer.from(signature);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new Refusal('UNVERIFIED_CALLER', {
      cause: 'caller metadata has a wrong signature (is INTAKE_RPC_SECRET the same everywhere?)',
    });
  }
  const { exp, ...caller } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Caller & { exp: number };
  if (exp < now) throw new Refusal('UNVERIFIED_CALLER', { cause: 'caller metadata is too old' });
  return caller;
}

function mac(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}
