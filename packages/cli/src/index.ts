#!/usr/bin/env node
import { runAsCommand } from '@intake/service';
import { runCli } from './cli';

/** The `intake` command for operators. */
void runAsCommand((args, env) =>
  runCli(args, env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  }),
);
