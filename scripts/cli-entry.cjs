#!/usr/bin/env node
// Becomes dist/cli.js. A Node that is too old is told so in one line: nothing of the program can run there.
let program
try {
  program = require('./load.js')
} catch (error) {
  process.stderr.write(`${/needs Node/.test(error.message) ? `Error: ${error.message}` : error.stack}\n`)
  process.exit(1)
}
// This process is the program's own. Only what is shown is mapped: a stack trace is written when it is first read.
Error.prepareStackTrace = (error, frames) =>
  program.mapStack([String(error), ...frames.map((frame) => `    at ${frame}`)].join('\n'))
program.cli({ onServing: program.keepCompiled })
