"""Runs commands of a public command-line client, unchanged: its own entry point, a process per command.

Argument: name of the package. Reads lines of JSON {"args": [...], "input": "..."}, and answers each with a line
{"code": exit code, "output": standard output, "error": standard error}. The client is loaded once and forked for each command.
"""

import importlib
import json
import os
import sys
import tempfile
import traceback


def run(entry_point, package, args, text):
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
        given.write(text.encode())
        given.seek(0)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for stream, number in ((given, 0), (output, 1), (error, 2)):
                    os.dup2(stream.fileno(), number)
                entry_point(args=args, prog_name=package)
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        error.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "output": output.read().decode(),
            "error": error.read().decode(),
        }


def main():
    package = sys.argv[1]
    entry_point = importlib.import_module(f"{package}.main").entry_point
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(run(entry_point, package, command["args"], command.get("input", ""))), flush=True)


main()
