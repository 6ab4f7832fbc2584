import { connectBackbone } from '@intake/bus';
import { auth } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { readAuthConfig } from './config';
import { createJwtUseStore } from './jwt/jwt-use.store';
import { createLetterStore } from './mail/letter.store';
import { createPost } from './mail/post';
import { createAuthSettingsStore } from './organization/auth-settings.store';
import { createOrganizationStore } from './organization/organization.store';
import { createPasswords } from './password/password';
import { createRpc } from './rpc';
import { createTokenStore } from './token/token.store';
import { createUserStore } from './user/user.store';

/** Starts the service of organizations, users and access tokens. */
export const start = (env: Environment) =>
  runService('auth', env, async (runtime) => {
    const config = readAuthConfig(env);
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const organizations = createOrganizationStore(backbone);
    const users = createUserStore(backbone);
    const tokens = createTokenStore(backbone);
    const letters = createLetterStore(backbone);
    const authSettings = createAuthSettingsStore(backbone);
    const jwtUses = createJwtUseStore(backbone);
    const post = createPost(runtime, config, { letters, users, leases: backbone.leases });
    const passwords = await createPasswords();
    await createIndexes(backbone.database);
    await serveRpc(runtime, {
      definition: auth.AuthServiceService,
      proto: 'intake/auth/v1/auth.proto',
      handlers: createRpc({ backbone, organizations, users, tokens, passwords, post, authSettings, jwtUses }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
  });

if (require.main === module) void runAsProcess(start);
