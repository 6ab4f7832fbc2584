import type { auth as contract } from '@intake/contracts';
import { answers, boolean, integer, listOf, name, object, string, userToJson } from '@intake/resources';
import { Refusal } from '@intake/rpc';
import { z } from 'zod';
import { keyOf } from '../auth';
import { answersObject, DETAIL } from '../openapi/named-schema';
import { USER } from '../openapi/objects';
import { viewOfUser } from '../roles';
import { route } from '../route';
import type { RouteContext } from './index';

const secret = string(1000).min(1);
const newPassword = { new_password1: secret, new_password2: secret };
const changeBody = z.object({ ...newPassword, old_password: secret });
const resetBody = z.object({ email: name(254) });
const confirmBody = z.object({ ...newPassword, uid: secret, token: secret });
const scoreBody = z.object({
  password: string(1000),
  email: string(254).default(''),
  first_name: string(255).default(''),
  last_name: string(255).default(''),
});

const jwtKey = z.object({
  id: integer(0, Number.MAX_SAFE_INTEGER).nullish(),
  name: string(255).optional(),
  public_key: z.union([string(20_000), object.transform((jwk) => JSON.stringify(jwk))]).optional(),
});
const settingsBody = z.object({
  jwt_keys: z.array(jwtKey).optional(),
  jwt_auto_provisioning: boolean.optional(),
  oidc: z
    .object({
      enabled: boolean,
      issuer: string(2000).nullable(),
      client_id: string(2000).nullable(),
      client_secret: string(2000).nullable(),
      claim: string(50),
      auto_provisioning: boolean,
      allowed_roles: z.array(string(50)),
      default_role: string(50),
    })
    .partial()
    .optional(),
});

const AUTH_SETTINGS = {
  oidc: answers.object,
  jwt_keys: listOf(answers.object),
  jwt_auto_provisioning: answers.boolean,
};

/** Passwords, and how users of an organization prove who they are. API: auth.md sections 2 and 7. */
export function securityRoutes({ services: { auth }, sessions }: RouteContext) {
  return [
    route('POST', '/auth/password/change', {
      allow: 'ownAccount',
      doc: USER.one('Change the own password'),
      quota: 'passwords',
      body: changeBody,
      call: async ({ body, http, address }, caller) => {
        const keptKey = keyOf(http.headers, sessions);
        if (!keptKey) throw new Refusal('INVALID_TOKEN');
        const user = await auth.changePassword(
          {
            oldPassword: body.old_password,
            newPassword1: body.new_password1,
            newPassword2: body.new_password2,
            keptKey,
            address,
          },
          caller,
        );
        return { user, view: viewOfUser(caller, user.id) };
      },
      reply: ({ user, view }, { urls }) => ({
        ...userToJson(user, urls, view),
        detail: 'New password has been saved.',
      }),
    }),
    route('POST', '/auth/password/reset', {
      allow: 'public',
      doc: answersObject('Ask for a link to a new password', DETAIL),
      quota: 'passwords',
      body: resetBody,
      call: ({ body }, self) => auth.requestPasswordReset({ email: body.email }, self),
      reply: () => ({ detail: 'Password reset e-mail has been sent.' }),
    }),
    route('POST', '/auth/password/reset/confirm', {
      allow: 'public',
      doc: answersObject('Set a new password with such a link', DETAIL),
      quota: 'passwords',
      body: confirmBody,
      call: ({ body: { uid, token, new_password1: newPassword1, new_password2: newPassword2 } }, self) =>
        auth.confirmPasswordReset({ uid, token, newPassword1, newPassword2 }, self),
      reply: () => ({ detail: 'Password has been reset with the new password.' }),
    }),
    route('POST', '/auth/password/score', {
      allow: 'public',
      doc: answersObject('How good a password is: 0 to 4', { score: answers.integer, messages: answers.strings }),
      quota: 'passwords',
      body: scoreBody,
      call: ({ body }, self) =>
        auth.scorePassword(
          { password: body.password, email: body.email, firstName: body.first_name, lastName: body.last_name },
          self,
        ),
      reply: ({ score, messages }) => ({ score, messages }),
    }),

    route('GET', '/organizations/:id/auth_settings', {
      allow: 'writeConfiguration',
      doc: answersObject('How users of an organization log in', AUTH_SETTINGS),
      call: ({ parameters }, caller) => auth.getAuthSettings({ organizationId: parameters.id }, caller),
      reply: authSettingsToJson,
    }),
    route('PATCH', '/organizations/:id/auth_settings', {
      allow: 'writeConfiguration',
      doc: answersObject('Change how users of an organization log in', AUTH_SETTINGS),
      body: settingsBody,
      call: ({ parameters, body: { jwt_keys: keys, jwt_auto_provisioning: jwtAutoProvisioning, oidc } }, caller) =>
        auth.updateAuthSettings(
          {
            organizationId: parameters.id,
            jwtKeys: keys && {
              keys: keys.map((key) => ({
                id: key.id ?? 0,
                name: key.name ?? '',
                algorithm: '',
                publicKey: key.public_key ?? '',
              })),
            },
            jwtAutoProvisioning,
            allowedRoles: oidc?.allowed_roles && { names: oidc.allowed_roles },
            defaultRole: oidc?.default_role,
            oidc: oidc && {
              enabled: oidc.enabled,
              issuer: oidc.issuer === null ? '' : oidc.issuer,
              clientId: oidc.client_id === null ? '' : oidc.client_id,
              clientSecret: oidc.client_secret === null ? '' : oidc.client_secret,
              claim: oidc.claim,
              autoProvisioning: oidc.auto_provisioning,
            },
          },
          caller,
        ),
      reply: authSettingsToJson,
    }),
  ];
}

/** API: auth.md section 7. */
function authSettingsToJson({ jwtKeys, jwtAutoProvisioning, allowedRoles, defaultRole, oidc }: contract.AuthSettings) {
  return {
    oidc: {
      enabled: oidc?.enabled ?? false,
      issuer: oidc?.issuer || null,
      client_id: oidc?.clientId || null,
      claim: oidc?.claim ?? 'email',
      auto_provisioning: oidc?.autoProvisioning ?? false,
      allowed_roles: allowedRoles,
      default_role: defaultRole,
    },
    jwt_keys: jwtKeys.map(({ publicKey, ...key }) => ({ ...key, public_key: publicKey })),
    jwt_auto_provisioning: jwtAutoProvisioning,
  };
}
