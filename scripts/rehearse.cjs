// Part of the build: `node scripts/rehearse.cjs DIST NAME` lets the program that was just built do what most processes do first, and keeps the
// compiled form of what ran in `NAME-BUILD.cache`, named after this build of Node. In a process of its own, whose flags are those that the
// program will meet.
const { renameSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { setFlagsFromString } = require('node:v8')

async function main([dist, name]) {
  process.env.NODE_DISABLE_COMPILE_CACHE = '1'
  // Nothing that was compiled is forgotten meanwhile. What is kept is only taken by a process with the same flags.
  setFlagsFromString('--no-flush-bytecode')
  const { rehearse, script, buildOfNode } = require(path.join(dist, 'load.js'))
  await rehearse(path.join(dist, 'data', 'test-start-state.json'))
  setFlagsFromString('--flush-bytecode')
  const file = path.join(dist, `${name}-${buildOfNode()}.cache`)
  writeFileSync(`${file}.part`, script.createCachedData())
  renameSync(`${file}.part`, file)
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
