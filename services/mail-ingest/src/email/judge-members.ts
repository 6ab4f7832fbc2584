import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refusal, systemCaller } from '@intake/rpc';
import { JobError, withFolder } from '@intake/untrusted';
import type { FileLook } from '../mail/parse-message';
import { judgeAttachment, type Verdict } from '../rules/attachment-rules';
import type { InboxRules } from '../rules/inbox-rules';
import type { Email } from './email';
import type { EmailStore } from './email.store';
import type { ReadEmailOptions } from './read-email';

/** A stored file out of an archive. */
export interface Member {
  readonly key: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
}

export interface JudgeMembersOptions extends Pick<ReadEmailOptions, 'loadRaw'> {
  readonly emails: Pick<EmailStore, 'find'>;
  /** Null when queue or inbox have gone. */
  readonly findRules: (email: Email) => Promise<InboxRules | null>;
  /** Looks at hostile bytes in a child process. */
  readonly look: (file: { path: string; mimeType: string }) => Promise<FileLook>;
}

/**
 * The checks of attachments, for the files of an archive that came by e-mail. Throws NOT_FOUND. API: email-import.md section 1.3.
 */
export function createJudgeMembers({ emails, findRules, loadRaw, look }: JudgeMembersOptions) {
  const lookAt = (organizationId: number, { key, mimeType }: Member): Promise<FileLook> =>
    withFolder('intake-member-', async (folder) => {
      try {
        const file = path.join(folder, 'file');
        await pipeline(loadRaw({ organizationId, rawKey: key }), createWriteStream(file, { mode: 0o600 }));
        return await look({ path: file, mimeType });
      } catch (error) {
        if (!(error instanceof JobError)) throw error;
        return { image: mimeType.startsWith('image/') ? 'broken' : null, isExecutable: false };
      }
    });

  return async (organizationId: number, emailId: number, members: readonly Member[]): Promise<Verdict[]> => {
    const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
    const rules = email && (await findRules(email));
    if (!rules?.isActive) throw new Refusal('NOT_FOUND');
    const verdicts: Verdict[] = [];
    for (const member of members) {
      const seen = await lookAt(organizationId, member);
      verdicts.push(judgeAttachment({ ...member, ...seen, declaredType: '' }, rules));
    }
    return verdicts;
  };
}
