import './styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { ApiError } from './api/client';
import { App } from './app';
import { finishSingleSignOn } from './session/single-sign-on';
import './ui/theme';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What is wrong stays wrong; what is away may come back.
      retry: (count, error) => error instanceof ApiError && error.isAway && count < 2,
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 1000,
    },
  },
});

// Given back by the browser as it was left: much may have happened since.
window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
await finishSingleSignOn();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
