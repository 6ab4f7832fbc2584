import { systemCaller } from '@intake/rpc';
import type { Command } from '../command';

/** Sets the password of a user, whose tokens all end. */
export const userResetPassword: Command = {
  name: 'user reset-password',
  about: 'set another password of a user; all tokens of the user end',
  options: { username: 'user name', password: 'the new password, at least 8 characters' },
  async run({ username = '', password = '' }, { auth }) {
    const user = await auth.setPassword({ username, password }, systemCaller('cli'));
    return { userId: user.id, organizationId: user.organizationId };
  },
};
