#!/usr/bin/env node
// Old Node versions must be able to parse this file, so that they can say what they lack: functions and calls only, and the program is
// required after the check.
start(Number(process.versions.node.split('.')[0]), Number(process.versions.node.split('.')[1]));

function start(major: number, minor: number): void {
  if (major < 24 || (major === 24 && minor < 15)) {
    process.stderr.write(
      'teamsheet needs Node 24.15 or newer; this is ' +
        process.version +
        ': install it from nodejs.org or run it through npm/npx of this project\n',
    );
    process.exitCode = 1;
  } else {
    (
      process.getBuiltinModule('node:module').createRequire(__filename)('./start.cjs') as { start(): void }
    ).start();
  }
}
