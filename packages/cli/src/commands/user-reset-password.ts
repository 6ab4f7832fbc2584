import { systemCaller } from '@intake/rpc';
import { readPassword } from '../arguments';
import type { Command } from '../command';

/** Sets the password of a user, whose tokens all end. */
export const userResetPassword: Command = {
  name: 'user reset-password',
  about: 'set another password of a user, of single sign-on too; all tokens of the user end',
  options: { username: 'user name' },
  optional: {
    password: 'the new password, at least 8 characters',
    'password-file': 'file with it instead; /dev/stdin reads it from a pipe',
  },
  async run(options, { auth }) {
    const { username = '' } = options;
    const password = await readPassword(options, 'password');
    const user = await auth.setPassword({ username, password }, systemCaller('cli'));
    return { userId: user.id, organizationId: user.organizationId };
  },
};
