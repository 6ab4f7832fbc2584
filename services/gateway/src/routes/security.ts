import type { auth as contract } from '@intake/contracts';
import { Refusal } from '@intake/rpc';
import { z } from 'zod';
import { tokenOf } from '../auth';
import { boolean, name, number, object, string } from '../request/shapes';
import { userToJson } from '../resources/organization';
import { may } from '../roles';
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
  id: number.nullish(),
  name: string(255).optional(),
  public_key: z.union([string(20_000), object.transform((jwk) => JSON.stringify(jwk))]).optional(),
});
const settingsBody = z.object({
  jwt_keys: z.array(jwtKey).optional(),
  jwt_auto_provisioning: boolean.optional(),
  oidc: z.object({ allowed_roles: z.array(string(50)).optional(), default_role: string(50).optional() }).optional(),
});

/** Passwords, and how users of an organization prove who they are. API: auth.md sections 2 and 7. */
export function securityRoutes({ services: { auth } }: RouteContext) {
  return [
    route('POST', '/auth/password/change', {
      allow: 'ownAccount',
      body: changeBody,
      call: async ({ body, http }, caller) => {
        const keptKey = tokenOf(http.headers.authorization);
        if (!keptKey) throw new Refusal('INVALID_TOKEN');
        const user = await auth.changePassword(
          {
            oldPassword: body.old_password,
            newPassword1: body.new_password1,
            newPassword2: body.new_password2,
            keptKey,
          },
          caller,
        );
        return { user, forAdmin: may(caller.roles, 'writeConfiguration') };
      },
      reply: ({ user, forAdmin }, { urls }) => ({
        ...userToJson(user, urls, forAdmin),
        detail: 'New password has been saved.',
      }),
    }),
    route('POST', '/auth/password/reset', {
      allow: 'public',
      body: resetBody,
      call: ({ body }, self) => auth.requestPasswordReset({ email: body.email }, self),
      reply: () => ({ detail: 'Password reset e-mail has been sent.' }),
    }),
    route('POST', '/auth/password/reset/confirm', {
      allow: 'public',
      body: confirmBody,
      call: ({ body: { uid, token, new_password1: newPassword1, new_password2: newPassword2 } }, self) =>
        auth.confirmPasswordReset({ uid, token, newPassword1, newPassword2 }, self),
      reply: () => ({ detail: 'Password has been reset with the new password.' }),
    }),
    route('POST', '/auth/password/score', {
      allow: 'public',
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
      call: ({ parameters }, caller) => auth.getAuthSettings({ organizationId: parameters.id }, caller),
      reply: authSettingsToJson,
    }),
    route('PATCH', '/organizations/:id/auth_settings', {
      allow: 'writeConfiguration',
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
          },
          caller,
        ),
      reply: authSettingsToJson,
    }),
  ];
}

function authSettingsToJson({ jwtKeys, jwtAutoProvisioning, allowedRoles, defaultRole }: contract.AuthSettings) {
  return {
    oidc: { allowed_roles: allowedRoles, default_role: defaultRole },
    jwt_keys: jwtKeys.map(({ publicKey, ...key }) => ({ ...key, public_key: publicKey })),
    jwt_auto_provisioning: jwtAutoProvisioning,
  };
}
