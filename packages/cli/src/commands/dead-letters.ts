import { BUS_SETTINGS, type Bus, connectBus, listDeadLetters, replayDeadLetter } from '@intake/bus';
import { createCommandRuntime, type Environment, readConfig } from '@intake/service';
import { UsageError } from '../arguments';
import type { Command } from '../command';
import { CommandError } from '../errors';

const NATS_MS = 5000;
const MOST = 1000;

async function withBus<T>(env: Environment, task: (bus: Bus) => Promise<T>): Promise<T> {
  const options = readConfig(env, BUS_SETTINGS);
  const runtime = createCommandRuntime('cli');
  let timer: NodeJS.Timeout | undefined;
  try {
    const bus = connectBus(runtime, options);
    const away = new Promise<never>((_, reject) => {
      const error = new CommandError('NATS cannot be reached at INTAKE_NATS_URL.');
      timer = setTimeout(() => reject(error), NATS_MS);
    });
    await Promise.race([bus.connected(), away]);
    return await task(bus);
  } finally {
    clearTimeout(timer);
    await runtime.stop();
  }
}

/** Shows the events that consumers gave up on, oldest first. */
export const deadLettersList: Command = {
  name: 'dead-letters list',
  about: `show the events that a service gave up on, the oldest ${MOST}`,
  options: {},
  run: (_options, _services, env) => withBus(env, (bus) => listDeadLetters(bus, MOST)),
};

/** Puts one of them back on the bus. */
export const deadLettersReplay: Command = {
  name: 'dead-letters replay',
  about: 'put an event that a service gave up on back on the bus',
  options: { sequence: 'its number, as the list shows it' },
  run: ({ sequence = '' }, _services, env) =>
    withBus(env, async (bus) => {
      const letter = (await listDeadLetters(bus, MOST)).find((one) => String(one.sequence) === sequence);
      if (!letter) throw new UsageError(`There is no dead letter ${sequence}.`);
      await replayDeadLetter(bus, letter.sequence);
      return letter;
    }),
};
