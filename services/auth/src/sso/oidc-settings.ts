import type { FieldErrors } from '@intake/rpc';
import { collectProblems } from '../user/user';

/** What of a provider's answer names the user. API: auth.md section 6. */
export const CLAIMS = ['email', 'sub', 'preferred_username', 'unique_name'] as const;
export type Claim = (typeof CLAIMS)[number];

/** The provider of single sign-on of an organization. API: auth.md section 7. */
export interface OidcSettings {
  readonly enabled: boolean;
  /** URL of the provider, without `/.well-known/openid-configuration`; empty: none. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: the provider wants none. Never leaves the service. */
  readonly clientSecret: string;
  readonly claim: Claim;
  /** A login of an unknown user makes the user. */
  readonly autoProvisioning: boolean;
}

/** Of an organization that has set nothing. */
export const DEFAULT_OIDC_SETTINGS: OidcSettings = {
  enabled: false,
  issuer: '',
  clientId: '',
  clientSecret: '',
  claim: 'email',
  autoProvisioning: false,
};

/** What changes; absent: nothing. */
export type OidcChange = Partial<Omit<OidcSettings, 'claim'>> & { readonly claim?: string };

/** The settings after a change, with the problems it has as the body of a 400, or null. */
export function changeOidcSettings(
  before: OidcSettings,
  change: OidcChange,
): { settings: OidcSettings; problems: FieldErrors | null } {
  const claim = CLAIMS.find((known) => known === change.claim);
  const settings: OidcSettings = {
    enabled: change.enabled ?? before.enabled,
    issuer: change.issuer?.trim() ?? before.issuer,
    clientId: change.clientId?.trim() ?? before.clientId,
    clientSecret: change.clientSecret ?? before.clientSecret,
    claim: claim ?? before.claim,
    autoProvisioning: change.autoProvisioning ?? before.autoProvisioning,
  };
  const missing = (value: string) => (settings.enabled && value === '' ? 'Single sign-on needs it.' : null);
  const problems = collectProblems({
    issuer: settings.issuer === '' ? missing('') : findIssuerProblem(settings.issuer),
    client_id: missing(settings.clientId) ?? findLengthProblem(settings.clientId),
    client_secret: findLengthProblem(settings.clientSecret),
    claim: change.claim === undefined || claim ? null : `"${change.claim}" is not a valid choice.`,
  });
  return { settings, problems };
}

function findIssuerProblem(issuer: string): string | null {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return 'Enter a URL that begins with https:// or http://.';
  if (url.username || url.password || url.search || url.hash)
    return 'The URL may have no user name, password, query or fragment.';
  if (url.pathname.includes('/.well-known/')) return 'Enter the issuer: the URL without "/.well-known/...".';
  return findLengthProblem(issuer);
}

function findLengthProblem(value: string): string | null {
  return value.length > 2000 ? 'Ensure this field has no more than 2000 characters.' : null;
}
