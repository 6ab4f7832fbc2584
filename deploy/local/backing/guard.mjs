import { spawn } from 'node:child_process';

/**
 * When the launcher is killed its pipe to this shell closes; the shell then waits until the watched services have
 * ended, and stops the backing services. Plain sh: it costs a megabyte and needs nothing.
 */
const SCRIPT = `
without() { for one in $1; do [ "$one" = "$2" ] || printf ' %s' "$one"; done; }
trap '' INT TERM HUP
depends=''; pids=''
while read -r kind pid; do
  case "$kind" in
    depends) depends="$depends $pid" ;;
    watch) pids="$pids $pid" ;;
    forget) depends=$(without "$depends" "$pid"); pids=$(without "$pids" "$pid") ;;
    dismiss) exit 0 ;;
  esac
done
alive() { for one in $1; do kill -0 "$one" 2>/dev/null && return 0; done; return 1; }
await() { n=0; while alive "$1" && [ "$n" -lt "$2" ]; do sleep 0.2; n=$((n + 1)); done; }
await "$depends" 175
[ -n "$depends" ] && kill -9 $depends 2>/dev/null
[ -n "$pids" ] && kill -TERM $pids 2>/dev/null
await "$pids" 50
[ -n "$pids" ] && kill -9 $pids 2>/dev/null
exit 0
`;

/**
 * Watches over processes so that they end even when this process is killed with SIGKILL.
 * @returns {{watch(pid: number): void, waitFor(pid: number): void, forget(pid: number): void, dismiss(): void}}
 */
export function startGuard() {
  const shell = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {}); // no sh here: the next start cleans up instead
  shell.stdin.on('error', () => {});
  shell.unref();
  const tell = (line) => shell.stdin.write(`${line}\n`);
  return {
    /** Stop this process when the launcher is gone. */
    watch: (pid) => tell(`watch ${pid}`),
    /** Before that, wait for this one to end by itself. */
    waitFor: (pid) => tell(`depends ${pid}`),
    /** It ended already: its number may become somebody else's. */
    forget: (pid) => tell(`forget ${pid}`),
    dismiss: () => shell.stdin.end('dismiss\n'),
  };
}
