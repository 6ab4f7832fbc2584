import { connectBackbone, startConsumer } from '@intake/bus';
import { auth } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { isNeighbourAway, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { createOutgoing } from '@intake/untrusted';
import { readAuthConfig } from './config';
import { createConsumers } from './consumers';
import { createAttemptStore } from './guessing/attempt.store';
import { createGuessing } from './guessing/guessing';
import { createJwtUseStore } from './jwt/jwt-use.store';
import { createLetterStore } from './mail/letter.store';
import { createPost } from './mail/post';
import { createAuthSettingsStore } from './organization/auth-settings.store';
import { createOrganizationStore } from './organization/organization.store';
import { createPasswords } from './password/password';
import { createRpc } from './rpc';
import { createProviders } from './sso/provider';
import { createSsoLoginStore } from './sso/sso-login.store';
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
    const ssoLogins = createSsoLoginStore(backbone);
    const providers = createProviders(createOutgoing({ allow: config.outgoingAllow }));
    const post = createPost(runtime, config, { letters, users, leases: backbone.leases });
    const guessing = createGuessing({ attempts: createAttemptStore(backbone), limit: config.failedLogins });
    const passwords = await createPasswords();
    await createIndexes(backbone.database);
    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: auth.AuthServiceService,
      proto: 'intake/auth/v1/auth.proto',
      handlers: createRpc({
        backbone,
        organizations,
        users,
        tokens,
        passwords,
        guessing,
        post,
        authSettings,
        jwtUses,
        ssoLogins,
        providers,
        log: runtime.log,
      }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, { ...backbone, handlers: createConsumers(users), isAway: isNeighbourAway });
  });

if (require.main === module) void runAsProcess(start);
