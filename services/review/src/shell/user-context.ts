import { createContext, useContext } from 'react';
import type { User } from '../api/types';
import { type Rights, rightsOf } from '../session/roles';

export const UserContext = createContext<User | null>(null);

/** Who is logged in, and what the page offers to them. */
export function useUser(): { readonly user: User; readonly rights: Rights } {
  const user = useContext(UserContext);
  if (!user) throw new Error('only inside of the logged-in page');
  return { user, rights: rightsOf(user) };
}

/** First and last name, or what they log in with. */
export function nameOf({ first_name, last_name, username }: User): string {
  return `${first_name} ${last_name}`.trim() || username;
}
