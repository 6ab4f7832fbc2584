import { createStore } from '../session/session-store';

type Theme = 'light' | 'dark';
const KEY = 'intake.theme';
const system: Theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

export const theme = createStore<Theme>((localStorage.getItem(KEY) as Theme | null) ?? system);

export function switchTheme(): void {
  theme.set(theme.read() === 'dark' ? 'light' : 'dark');
  localStorage.setItem(KEY, theme.read());
}

const apply = () => {
  document.documentElement.dataset.theme = theme.read();
};
theme.subscribe(apply);
apply();
