/** Serves and calls rpcs: deadlines, verified callers, errors by reason, health, reflection. */
export { ahead } from './ahead';
export {
  type Caller,
  organizationOf,
  requireAdmin,
  requireSystem,
  seesQueue,
  signCaller,
  systemCaller,
  verifyCaller,
} from './caller';
export { connectRpc, type Identity } from './client';
export {
  type FieldErrors,
  invalidField,
  isNeighbourAway,
  isReason,
  type Reason,
  Refusal,
  type RefusalDetails,
  rateLimited,
} from './errors';
export type { CallOptions, Client, Definition, Handlers } from './methods';
export { createReader } from './reader';
export { type ServeOptions, serveRpc } from './server';
export { type RpcSettings, readRpcSettings, type ServiceName } from './settings';
export { createShare } from './share';
export { withoutEnd } from './shared-work';
export type { RpcTls } from './tls';
