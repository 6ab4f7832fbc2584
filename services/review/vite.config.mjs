import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    // The Content-Security-Policy of the page allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  // `npx vite` beside `npm start`: the page of the source, the API of the running system.
  // The host stays that of the page: the API refuses unsafe calls of a browser that come from another one.
  server: {
    proxy: { '/api': { target: process.env.INTAKE_BASE_ORIGIN ?? 'http://127.0.0.1:8080', changeOrigin: false } },
  },
});
