import { type Connection, createConnection } from 'mongoose';

/** Removes the databases whose names begin with `prefix`. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  await withConnection(url, async (connection) => {
    const { databases } = await connection.listDatabases();
    for (const { name } of databases) {
      if (name.startsWith(prefix)) await connection.useDb(name).dropDatabase();
    }
  });
}

/** The documents of a collection that match, as they are stored. A test's look behind the scenes. */
export async function findStored(
  url: string,
  database: string,
  collection: string,
  filter: Record<string, unknown> = {},
): Promise<Record<string, unknown>[]> {
  return withConnection(url, (connection) => connection.useDb(database).collection(collection).find(filter).toArray());
}

/** Removes the documents of a collection that match: damage that nothing of the system does. */
export async function removeStored(
  url: string,
  database: string,
  collection: string,
  filter: Record<string, unknown> = {},
): Promise<void> {
  await withConnection(url, (connection) => connection.useDb(database).collection(collection).deleteMany(filter));
}

/** How many documents of a collection match. */
export async function countStored(
  url: string,
  database: string,
  collection: string,
  filter: Record<string, unknown> = {},
): Promise<number> {
  return withConnection(url, (connection) => connection.useDb(database).collection(collection).countDocuments(filter));
}

/** Puts many documents into a collection. */
export async function insertManyStored(
  url: string,
  database: string,
  collection: string,
  documents: readonly Record<string, unknown>[],
): Promise<void> {
  await withConnection(url, async (connection) => {
    await connection
      .useDb(database)
      .collection(collection)
      .insertMany([...documents], { ordered: false });
  });
}

/** Puts a document into a collection, majority-acknowledged and journaled. */
export async function insertStored(
  url: string,
  database: string,
  collection: string,
  document: Record<string, unknown>,
): Promise<void> {
  await withConnection(url, async (connection) => {
    const writeConcern = { w: 'majority', journal: true } as const;
    await connection.useDb(database).collection(collection).insertOne(document, { writeConcern });
  });
}

/** Copies databases under another prefix, as a dump and its restoration do: documents as they are, without indexes. */
export async function copyDatabases(url: string, from: string, to: string): Promise<void> {
  await withConnection(url, async (connection) => {
    const { databases } = await connection.listDatabases();
    for (const { name } of databases.filter((one) => one.name.startsWith(from))) {
      const target = connection.useDb(`${to}${name.slice(from.length)}`);
      for (const { name: collection } of (await connection.useDb(name).db?.listCollections().toArray()) ?? []) {
        const rows = await connection.useDb(name).collection(collection).find({}, { promoteValues: false }).toArray();
        if (rows.length > 0) await target.collection(collection).insertMany(rows);
      }
    }
  });
}

/** Names of the databases that begin with `prefix`. */
export async function listDatabases(url: string, prefix: string): Promise<string[]> {
  return withConnection(url, async (connection) => {
    const { databases } = await connection.listDatabases();
    return databases.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  });
}

/** Runs one administrative command. */
export async function runAdminCommand(url: string, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  return withConnection(url, async (connection) => {
    const admin = connection.db?.admin();
    if (!admin) throw new Error('MongoDB is not connected');
    return admin.command(command);
  });
}

async function withConnection<T>(url: string, task: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await createConnection(url, {
    serverSelectionTimeoutMS: 5000,
    autoCreate: false,
    autoIndex: false,
  }).asPromise();
  try {
    return await task(connection);
  } finally {
    await connection.close();
  }
}
