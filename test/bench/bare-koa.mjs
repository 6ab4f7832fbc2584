/** What a GET costs at least: Koa, one MongoDB read of the same document, JSON. Started by bench.mjs; tells its port. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const Koa = require('koa');
const Router = require('@koa/router');
const mongoose = require('mongoose');

const database = `${process.env.INTAKE_MONGODB_PREFIX ?? 'intake'}_annotation`;
const connection = await mongoose
  .createConnection(process.env.INTAKE_MONGODB_URL, { dbName: database, maxPoolSize: 50 })
  .asPromise();
const annotations = connection.collection('annotations');

const app = new Koa();
const router = new (Router.default ?? Router)();
router.get('/annotations/:id', async (ctx) => {
  ctx.body = await annotations.findOne({ _id: Number(ctx.params.id) });
});
app.use(router.routes());
const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('disconnect', () => process.exit(0));
