import type { User } from '../user/user';
import { chooseRoles, chooseUser, nameOf, readClaim } from './sso-user';

const user = (over: Partial<User>): User => ({
  id: 1,
  username: 'somebody',
  email: '',
  firstName: '',
  lastName: '',
  organizationId: 1,
  groupIds: [2],
  queueIds: [],
  phoneNumber: null,
  oidcId: null,
  authType: 'password',
  isActive: true,
  deleted: false,
  dateJoined: new Date(0),
  lastLogin: null,
  uiSettings: {},
  metadata: {},
  rightsVersion: 1,
  ...over,
});

describe('a claim', () => {
  it('names the user when it is a text', () => {
    expect(readClaim({ sub: 'x', email: 'a@example.com' }, 'email')).toBe('a@example.com');
    expect(readClaim({ sub: 'x' }, 'sub')).toBe('x');
  });

  it.each([
    [{}],
    [{ email: '' }],
    [{ email: ' ' }],
    [{ email: 7 }],
    [{ email: ['a@b'] }],
    [{ email: 'x'.repeat(256) }],
  ])('refuses %j', (claims) => expect(() => readClaim(claims, 'email')).toThrow('did not tell "email"'));

  it('must be verified when it is the e-mail address, where the provider says so', () => {
    const email = 'a@example.com';
    expect(readClaim({ email, email_verified: true }, 'email')).toBe(email);
    expect(() => readClaim({ email, email_verified: false }, 'email')).toThrow('not verified');
    expect(() => readClaim({ email, email_verified: 'false' }, 'email')).toThrow('not verified');
    expect(readClaim({ sub: 'x', email, email_verified: false }, 'sub')).toBe('x');
  });
});

describe('the user', () => {
  const byId = user({ id: 1, oidcId: 'A@example.com' });
  const byEmail = user({ id: 2, email: 'a@Example.com' });
  const byName = user({ id: 3, username: 'a@example.COM' });

  it('is chosen by oidc_id exactly, then by e-mail address, then by user name', () => {
    expect(chooseUser('A@example.com', [byName, byEmail, byId])?.id).toBe(1);
    expect(chooseUser('a@example.com', [byName, byEmail])?.id).toBe(2);
    expect(chooseUser('a@example.com', [byName])?.id).toBe(3);
    expect(chooseUser('a@example.com', [])).toBeNull();
  });

  it('is nobody who may not act, and somebody else where there is one', () => {
    const off = { isActive: false };
    expect(() => chooseUser('a@example.com', [{ ...byEmail, ...off }])).toThrow('disabled or deleted');
    expect(() => chooseUser('a@example.com', [{ ...byEmail, deleted: true }])).toThrow('disabled or deleted');
    expect(chooseUser('a@example.com', [{ ...byEmail, ...off }, byName])?.id).toBe(3);
  });

  it('is not guessed from several', () => {
    const twin = { ...byEmail, id: 4 };
    expect(() => chooseUser('a@example.com', [byEmail, twin])).toThrow('Several users');
    expect(chooseUser('a@example.com', [byEmail, { ...twin, isActive: false }])?.id).toBe(2);
  });
});

describe('a user who is made', () => {
  it('is called by the e-mail address, else by what names it', () => {
    expect(nameOf('sub-1', { email: 'a@example.com', given_name: 'Ann', family_name: 'Lee', name: 'Other' })).toEqual({
      username: 'a@example.com',
      email: 'a@example.com',
      firstName: 'Ann',
      lastName: 'Lee',
    });
    expect(nameOf('sub-1', { email: 'a@example.com', email_verified: false, name: 'Jan van Eyck' })).toEqual({
      username: 'sub-1',
      email: '',
      firstName: 'Jan',
      lastName: 'van Eyck',
    });
    expect(nameOf('b@example.com', { email: 7, name: null })).toEqual({
      username: 'b@example.com',
      email: 'b@example.com',
      firstName: '',
      lastName: '',
    });
  });

  it.each([
    [undefined, [2]],
    ['manager', [4]],
    [
      ['manager', 'annotator'],
      [2, 4],
    ],
    [['admin'], [2]],
    [['admin', 'manager', 'unheard-of', 7], [4]],
    [{ admin: true }, [2]],
  ])('named the roles %j has the groups %j', (named, ids) => {
    expect(chooseRoles(named, ['annotator', 'manager'], 'annotator')).toEqual(ids);
  });
});
