// Becomes dist/index.js: the server in a program of one's own.
const program = require('./load.js')
const { createServer } = program.embedding()

exports.createServer = async (options) => {
  const server = await createServer(options)
  program.keepCompiled()
  return server
}
program.mapUncaught()
