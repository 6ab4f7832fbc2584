import { createSubscriptionLinks } from './subscription';

const links = createSubscriptionLinks('a secret', 'https://docs.example.com/api/v1');
const subscriber = { organizationId: 7, email: 'Jörg@Example.org' };
const partsOf = (link: string | null) => {
  const { searchParams } = new URL(link ?? '');
  return [searchParams.get('content') ?? '', searchParams.get('signature') ?? ''] as const;
};

it('a link names the organization and the address, whatever its case', () => {
  const link = links.make(subscriber);
  expect(link).toMatch(/^https:\/\/docs\.example\.com\/api\/v1\/emails\/subscription\?/);
  expect(new URL(link ?? '').searchParams.get('subscribe')).toBe('false');
  expect(links.read(...partsOf(link))).toEqual({ organizationId: 7, email: 'jörg@example.org' });
});

it('nobody else makes one', () => {
  const [content, signature] = partsOf(links.make(subscriber));
  const [other] = partsOf(links.make({ ...subscriber, email: 'else@example.org' }));
  for (const [c, s] of [
    [other, signature],
    [content, ''],
    [content, signature.slice(1)],
    [content, `${signature}x`],
    ['', signature],
  ] as const)
    expect(() => links.read(c, s)).toThrow();
  expect(() => createSubscriptionLinks('another secret', null).read(content, signature)).toThrow();
});

it('without the address of the service there are none', () => {
  expect(createSubscriptionLinks('a secret', null).make(subscriber)).toBeNull();
});
