import { join } from 'node:path';

/** The project's folder: `src` and `dist` of this package are equally deep in it. */
export const ROOT = join(__dirname, '../../..');
