import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { receiveTraces, waitFor } from '@intake/testkit';
import { SpanKind } from '@opentelemetry/api';
import { Counter, Gauge } from 'prom-client';
import { currentRequestId, type RunningService, type Runtime, runInContext, runService, withSpan } from '.';
import { currentContext } from './context';

const ENV = { INTAKE_LOG_LEVEL: 'silent' };
const PROGRAM = join(__dirname, '../test/sample-service.cjs');

describe('runService', () => {
  let service: RunningService | undefined;
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  const start = async (build: (runtime: Runtime) => Promise<void> | void, env = {}) => {
    const started = await runService('sample', { ...ENV, ...env }, async (runtime) => build(runtime));
    service = started;
    return {
      stop: () => started.stop(),
      get: (path: string) => fetch(`http://127.0.0.1:${started.opsPort}${path}`),
    };
  };

  it('says that it lives, and that it is ready when every condition holds', async () => {
    let broken = true;
    const { get } = await start((runtime) => {
      runtime.addReadiness('database', () => {
        if (broken) throw new Error('is away');
      });
      runtime.addReadiness('store', async () => undefined);
    });
    expect((await get('/healthz')).status).toBe(200);
    const refused = await get('/readyz');
    expect([refused.status, await refused.text()]).toEqual([503, 'database: is away\n']);
    broken = false;
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/other')).status).toBe(404);
  });

  it('shows its metrics, labelled with its name', async () => {
    const { get } = await start((runtime) => {
      new Counter({ name: 'sample_total', help: 'h', registers: [runtime.metrics] }).inc(3);
    });
    const body = await (await get('/metrics')).text();
    expect(body).toContain('sample_total{service="sample"} 3');
    expect(body).toMatch(/process_cpu_seconds_total\{service="sample"\}/);
  });

  it('answers 500 when a metric cannot be read, and goes on', async () => {
    const { get } = await start((runtime) => {
      const collect = () => {
        throw new Error('unreadable');
      };
      new Gauge({ name: 'sample', help: 'h', registers: [runtime.metrics], collect });
    });
    expect((await get('/metrics')).status).toBe(500);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('closes in the reverse order, goes on after a failure, and is not ready meanwhile', async () => {
    const closed: string[] = [];
    let readyWhileClosing = 0;
    const running = await start((runtime) => {
      runtime.onStop('first', () => void closed.push('first'));
      runtime.onStop('second', () => {
        closed.push('second');
        throw new Error('cannot close');
      });
      runtime.onStop('third', async () => {
        readyWhileClosing = (await running.get('/readyz')).status;
        closed.push('third');
      });
    });
    await running.stop();
    expect(closed).toEqual(['third', 'second', 'first']);
    expect(readyWhileClosing).toBe(503);
    await expect(running.get('/healthz')).rejects.toThrow();
  });

  it('a second stop ends when the first does', async () => {
    let closing = false;
    let release: () => void = () => undefined;
    const { stop } = await start((runtime) => {
      runtime.onStop('slow', () => {
        closing = true;
        return new Promise((resolve) => {
          release = resolve;
        });
      });
    });
    const first = stop();
    let secondEnded = false;
    const second = stop().then(() => {
      secondEnded = true;
    });
    await waitFor('the drain', () => closing);
    await new Promise(setImmediate);
    expect(secondEnded).toBe(false);
    release();
    await Promise.all([first, second]);
  });

  it('closes what was opened when the start fails', async () => {
    const closed: string[] = [];
    const failing = runService('sample', ENV, async (runtime) => {
      runtime.onStop('opened', () => void closed.push('opened'));
      throw new Error('no luck');
    });
    await expect(failing).rejects.toThrow('no luck');
    expect(closed).toEqual(['opened']);
  });

  it('refuses settings it cannot use', async () => {
    const failing = runService('sample', { INTAKE_OPS_PORT: 'high' }, async () => undefined);
    await expect(failing).rejects.toThrow('INTAKE_OPS_PORT must be a port, 0 to 65535');
  });

  it('sends spans, parent and child in one trace, before it has stopped', async () => {
    const receiver = await receiveTraces();
    const { stop } = await start(
      (runtime) =>
        runInContext({ ...currentContext(), requestId: 'r-1' }, () =>
          withSpan(runtime.tracer, 'outer', SpanKind.SERVER, () =>
            withSpan(runtime.tracer, 'inner', SpanKind.INTERNAL, async () => expect(currentRequestId()).toBe('r-1')),
          ),
        ),
      { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    );
    await stop();
    await receiver.stop();
    const [inner, outer] = ['inner', 'outer'].map((name) => receiver.spans.find((span) => span.name === name));
    expect(outer).toMatchObject({ service: 'intake-sample', attributes: { 'intake.request_id': 'r-1' } });
    expect(inner).toMatchObject({ traceId: outer?.traceId, parentSpanId: outer?.spanId });
  });

  it('stops in time although nobody takes its traces', async () => {
    const { stop } = await start(
      (runtime) => withSpan(runtime.tracer, 'lost', SpanKind.INTERNAL, async () => undefined),
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    );
    const started = Date.now();
    await stop();
    expect(Date.now() - started).toBeLessThan(5000);
  });
});

describe('runAsProcess', () => {
  const run = (mode: string) => {
    const child = spawn(process.execPath, [PROGRAM, mode], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    return { child, read: () => output, exited: exitOf(child) };
  };

  it('drains on SIGTERM and ends with code 0', async () => {
    const { child, read, exited } = run('drains');
    await waitFor('the start', () => read().includes('"msg":"started"'));
    child.kill('SIGTERM');
    await expect(exited).resolves.toEqual([0, null]);
    expect(read()).toMatch(/in flight: done[\s\S]*"msg":"stopped"/);
  });

  it('ends with code 1 and the reason when it cannot start', async () => {
    const { read, exited } = run('fails');
    await expect(exited).resolves.toEqual([1, null]);
    expect(read()).toMatch(/^ConfigError: INTAKE_SAMPLE is missing: what it is for\n(?! +at )/m);
  });
});

function exitOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve([code, signal]));
  });
}
