import { setImmediate } from 'node:timers/promises';
import type { JsMsg } from 'nats';

/**
 * Acknowledges messages of one consumer and waits until the server has noted it. Acknowledgements of the same moment are
 * confirmed by the last of them, as the server takes them in order. A lost one costs one more delivery, which does nothing.
 */
export function createAcknowledge(): (message: JsMsg) => Promise<void> {
  let together: JsMsg[] = [];
  let confirmation: Promise<void> | undefined;

  const confirm = async (): Promise<void> => {
    await setImmediate();
    const messages = together;
    together = [];
    confirmation = undefined;
    for (const message of messages.slice(0, -1)) message.ack();
    await messages
      .at(-1)
      ?.ackAck()
      .catch(() => false);
  };

  return (message) => {
    together.push(message);
    confirmation ??= confirm();
    return confirmation;
  };
}
