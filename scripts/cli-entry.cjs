#!/usr/bin/env node
// Becomes dist/cli.js. A Node that is too old is told so in one line: nothing of the program can run there.
let program
try {
  program = require('./load.js')
} catch (error) {
  process.stderr.write(`${/needs Node/.test(error.message) ? `Error: ${error.message}` : error.stack}\n`)
  process.exit(1)
}
program.cli()
