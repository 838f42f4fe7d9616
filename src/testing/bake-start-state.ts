/** Run once when the package is built: writes the start state of a server to the file that is named as its argument. */
import { writeFileSync } from 'node:fs'
import { startTestServer } from './running-test-server.ts'

const [, , target] = process.argv
if (target === undefined) throw new Error('usage: bake-start-state FILE')
const server = await startTestServer()
writeFileSync(target, JSON.stringify(await server.startState()))
await server.close()
