// Becomes dist/stack-lines.js: stack traces with the files and lines of the sources, by a table that the build makes of the source map: for each
// line of the program the file and the line it came from. Loaded when the first stack trace is shown.
// Not every world that test runners make has a global one.
const { Buffer } = require('node:buffer')

let table

/** `load` gives the text of the table. */
exports.mapStack = (stack, load) =>
  stack.replaceAll(/\bpilothouse\/program-\w+\.cjs:(\d+)(?::\d+)?/g, (place, line) => {
    table ??= read(load)
    const [source, at] = [table.files[table.file[line - 1]], table.line[line - 1]]
    // What the bundler adds of its own has no line.
    return source === undefined || at === 0 ? place : `${source}:${at}`
  })

/** Each line adds two numbers to those of the line before: to the index of the file and to its line. */
function read(load) {
  const { files, lines } = parsed(load) ?? { files: [], lines: '' }
  const bytes = Buffer.from(lines, 'base64')
  const found = { files, file: [], line: [] }
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]
      value += (byte & 127) * shift
      if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }
  for (let [of, line] = [0, 0]; at < bytes.length; ) {
    of += number()
    line += number()
    found.file.push(of)
    found.line.push(line)
  }
  return found
}

function parsed(load) {
  try {
    return JSON.parse(load())
  } catch {
    return undefined
  }
}
