import type { Readable } from 'node:stream';
import { Client } from 'minio';
import { connect } from 'nats';
import type { Backing } from './backing';

/** Removes the streams whose names begin with `prefix`, with their consumers. `caFile`: the authority of one server with `tls://`. */
export async function dropStreams(url: string, prefix: string, caFile?: string): Promise<void> {
  const { protocol, host, username: user, password } = new URL(url);
  const nats =
    protocol === 'tls:'
      ? await connect({ servers: host, timeout: 5000, user, pass: decodeURIComponent(password), tls: { caFile } })
      : await connect({ servers: url.split(','), timeout: 5000 });
  try {
    const manager = await nats.jetstreamManager({ timeout: 5000 });
    const names: string[] = [];
    for await (const name of manager.streams.names()) if (name.startsWith(prefix)) names.push(name);
    for (const name of names) await manager.streams.delete(name);
  } finally {
    await nats.close();
  }
}

/** How many messages a stream holds; 0 when it is not there. */
export async function countMessages(url: string, stream: string): Promise<number> {
  const nats = await connect({ servers: url.split(','), timeout: 5000 });
  try {
    const manager = await nats.jetstreamManager({ timeout: 5000 });
    for await (const { config, state } of manager.streams.list()) if (config.name === stream) return state.messages;
    return 0;
  } finally {
    await nats.close();
  }
}

/** Removes a bucket and what is in it; one that is not there is fine. */
export async function dropBucket(s3: Backing['s3'], bucket: string): Promise<void> {
  const client = connectS3(s3);
  if (!(await client.bucketExists(bucket))) return;
  const keys = await listObjects(s3, bucket);
  if (keys.length > 0) await client.removeObjects(bucket, keys);
  await client.removeBucket(bucket);
}

/** Keys of everything in a bucket. */
export async function listObjects(s3: Backing['s3'], bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of connectS3(s3).listObjectsV2(bucket, '', true)) if (name) keys.push(name);
  return keys;
}

/** Copies everything in a bucket into another one, which is made. */
export async function copyBucket(s3: Backing['s3'], from: string, to: string): Promise<void> {
  const client = connectS3(s3);
  if (!(await client.bucketExists(to))) await client.makeBucket(to);
  for (const key of await listObjects(s3, from)) await putObject(s3, to, key, await client.getObject(from, key));
}

/** Writes an object behind the back of the services. */
export async function putObject(
  s3: Backing['s3'],
  bucket: string,
  key: string,
  content: Readable | Buffer,
): Promise<void> {
  await connectS3(s3).putObject(bucket, key, content as Buffer);
}

/** Removes an object behind the back of the services. */
export async function removeObject(s3: Backing['s3'], bucket: string, key: string): Promise<void> {
  await connectS3(s3).removeObject(bucket, key);
}

function connectS3({ url, accessKey, secretKey }: Backing['s3']): Client {
  const { hostname, port, protocol } = new URL(url);
  const useSSL = protocol === 'https:';
  return new Client({ endPoint: hostname, port: Number(port || (useSSL ? 443 : 80)), useSSL, accessKey, secretKey });
}

/** How many messages of the streams whose names begin with `prefix` wait for their durable consumers, or for being acknowledged. */
export async function countWaiting(url: string, prefix: string): Promise<number> {
  const nats = await connect({ servers: url.split(','), timeout: 5000 });
  try {
    const manager = await nats.jetstreamManager({ timeout: 5000 });
    let count = 0;
    for await (const { config } of manager.streams.list()) {
      if (!config.name.startsWith(prefix)) continue;
      for await (const consumer of manager.consumers.list(config.name))
        if (consumer.config.durable_name) count += consumer.num_pending + consumer.num_ack_pending;
    }
    return count;
  } finally {
    await nats.close();
  }
}
