// `npm start -- FLAGS`: sets the checkout up and becomes the server. The server runs in this very process, so that a
// signal, the process group and the exit code are its own.
import { setup } from './setup.mjs'

try {
  setup()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

// npm hands signals on but cannot when it is killed outright: a server whose starter is gone stops too.
const starter = process.ppid
setInterval(() => {
  if (process.ppid !== starter) process.kill(process.pid, 'SIGTERM')
}, 1000).unref()

await import('../dist/cli.js')
