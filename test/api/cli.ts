import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
  readonly error: string;
}

const SCRIPT = join(__dirname, 'cli_commands.py');

/** A public command-line client, loaded once; each command is a process of its own. */
export class Cli {
  private readonly process: ChildProcess;
  private readonly lines: Interface;
  private readonly answers: AsyncIterator<string>;

  /**
   * @param python one that has the package
   * @param env what the client reads: base URL and login
   */
  constructor(
    python: string,
    private readonly name: string,
    env: Record<string, string>,
  ) {
    this.process = spawn(python, [SCRIPT, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
    });
    this.lines = createInterface({ input: this.process.stdout! });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  /** Runs a command whatever its end. One at a time. */
  async try(args: readonly (string | number)[], input = ''): Promise<CommandResult> {
    this.process.stdin!.write(`${JSON.stringify({ args: args.map(String), input })}\n`);
    const { value, done } = await this.answers.next();
    if (done) throw new Error(`${this.name} is gone`);
    return JSON.parse(value) as CommandResult;
  }

  /** Runs a command that must succeed; answers what it printed. */
  async run(...args: readonly (string | number)[]): Promise<string> {
    const { code, output, error } = await this.try(args);
    // Some failures are only printed.
    if (code !== 0 || /caused|Invalid response/.test(output)) {
      throw new Error(`${this.name} ${args.join(' ')}: exit code ${code}\n${output}\n${error}`);
    }
    return output.trim();
  }

  stop(): void {
    this.lines.close();
    this.process.stdin!.end();
    this.process.kill();
  }
}
