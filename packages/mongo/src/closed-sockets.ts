import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The driver's connection to a server, as far as it is needed here. */
interface DriverConnection {
  readonly closed: boolean;
  readonly socket: Socket;
  cleanup(error: Error): void;
}

let done = false;

/**
 * Lets commands fail whose connection was closed while they were being written. The driver (mongodb 7.8, `writeCommand`) has such a
 * command wait until its socket is drained or has an error. A socket that is destroyed, as when the server has ended the connection,
 * has neither: the command was waited for without end, and with it all that came after.
 */
export function failCommandsOfClosedSockets(): void {
  if (done) return;
  done = true;
  const driverRequire = createRequire(require.resolve('mongoose'));
  const { prototype }: { prototype: DriverConnection } = driverRequire('mongodb/lib/cmap/connection.js').Connection;
  const { cleanup } = prototype;
  prototype.cleanup = function (error) {
    const wasOpen = !this.closed;
    cleanup.call(this, error);
    if (wasOpen) this.socket.emit('error', error);
  };
}
