import { describeParty, type Party, type Role } from '../candidates/parties/party';
import { type Findings, fromValue, type Put, type Scored } from './findings';
import { scoreRegistrations } from './registrations';

const EVIDENCE: Record<Party['evidence'], number> = { label: 1.6, window: 1.4, company: 0.8, block: 0.3, top: 0 };

/** Names, addresses and registrations of sender and recipient. */
export function scoreParties(findings: Findings, put: Put): void {
  const prefix: Record<Role, string> = { sender: 'sender', recipient: 'recipient', delivery: 'recipient_delivery' };
  const byField = new Map<string, Scored[]>();
  const add = (field: string, scored: Scored) => byField.set(field, [...(byField.get(field) ?? []), scored]);
  findings.parties.forEach((party, at) => {
    const score = EVIDENCE[party.evidence] - at * 0.01;
    for (const part of ['name', 'address'] as const) {
      const text = party[part];
      if (text)
        add(`${prefix[party.role]}_${part}`, {
          value: text.text,
          raw: text.text,
          page: party.page,
          box: text.box,
          tokens: [],
          score,
          hints: { [party.evidence]: 1, ...describeParty(part, text.text), both: party.name && party.address ? 1 : 0 },
        });
    }
  });
  for (const [field, scored] of byField) put(field, scored);
  scoreRegistrations(findings, put);
  const email = findings.values.find((value) => value.type === 'email');
  if (email) put('sender_email', [fromValue(email, 0)]);
}
