// A webhook for scenarios.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'

let servers = 0

/**
 * An HTTPS server on 127.0.0.1 with a certificate of its own. `answer(path, body)` gives the JSON to send back
 * (or { status, text } for a raw answer, or a promise of either). Ends with the scenario.
 */
export const serve = async (t, answer) => {
  const { key, cert } = selfSigned(`server ${++servers}`)
  const calls = []
  const server = https.createServer({ key, cert }, async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString() || 'null')
    const { method, url, headers } = request
    const call = {
      method,
      path: url,
      type: headers['content-type'],
      accept: headers.accept,
      agent: headers['user-agent'],
      body,
    }
    Object.defineProperty(call, 'headers', { value: headers })
    calls.push(call)
    const out = await answer(url.split('?')[0], body, call)
    const isRaw = out?.text !== undefined
    response.writeHead(isRaw ? (out.status ?? 200) : 200, { 'content-type': (isRaw && out.type) || 'application/json' })
    response.end(isRaw ? out.text : JSON.stringify(out))
  })
  server.on('tlsClientError', () => {})
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const address = `127.0.0.1:${server.address().port}`
  const caBundle = Buffer.from(cert).toString('base64')
  t.normaliser.replace(address, '127.0.0.1:<port>')
  t.normaliser.replace(caBundle, '<ca>')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  t.onEnd(close)
  return { url: `https://${address}`, caBundle, calls, close }
}

function selfSigned(name) {
  const dir = mkdtempSync(path.join(tmpdir(), 'conformance-'))
  const [keyFile, certFile] = [path.join(dir, 'key'), path.join(dir, 'cert')]
  const request = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', ...request, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
  const [key, cert] = [keyFile, certFile].map((file) => readFileSync(file, 'utf8'))
  rmSync(dir, { recursive: true })
  return { key, cert }
}
