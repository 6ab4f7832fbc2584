import { createStore } from '../session/session-store';

type Theme = 'light' | 'dark';
const KEY = 'intake.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = (): Theme => (dark.matches ? 'dark' : 'light');
const read = () => (localStorage.getItem(KEY) as Theme | null) ?? systemTheme();

/** That of the system, unless another one was chosen. */
export const theme = createStore<Theme>(read());

export function switchTheme(): void {
  const chosen = theme.read() === 'dark' ? 'light' : 'dark';
  if (chosen === systemTheme()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  theme.set(chosen);
}

dark.addEventListener('change', () => theme.set(read()));
window.addEventListener('storage', () => theme.set(read()));
const apply = () => {
  document.documentElement.dataset.theme = theme.read();
};
theme.subscribe(apply);
apply();
