import { execFile } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseServerOptions } from '../config/server-options.ts'
import { systemClock } from '../lib/clock.ts'
import { createCertificateAuthority, isStillGood, issueCertificate } from './certificates.ts'
import { loadCredentials, temporaryCredentials, writeAdminKubeconfig } from './data-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const optionsWith = (...flags: string[]) => parseServerOptions([`--data-dir=${folder}/data`, ...flags])
const load = (...flags: string[]) => loadCredentials(optionsWith(...flags), systemClock)

describe('credentials', () => {
  it('are made once and kept', () => {
    const first = load()
    const second = load()
    expect([second.ca, second.serving, second.admin]).toEqual([first.ca, first.serving, first.admin])
  })

  it('are one set for servers that start in one folder at the same time', async () => {
    const script = `
      import { loadCredentials } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).pathname)}
      import { parseServerOptions } from ${JSON.stringify(new URL('../config/server-options.ts', import.meta.url).pathname)}
      import { systemClock } from ${JSON.stringify(new URL('../lib/clock.ts', import.meta.url).pathname)}
      const { ca, serving, admin, serviceAccountKeys } = loadCredentials(parseServerOptions(['--data-dir=${folder}/data']), systemClock)
      const key = (await serviceAccountKeys.signingKey()).export({ type: 'pkcs8', format: 'pem' })
      process.stdout.write(JSON.stringify([ca, serving, admin, key]))
    `
    const bundle = path.join(folder, 'start.mjs')
    await build({
      stdin: { contents: script, loader: 'ts', resolveDir: process.cwd() },
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
      logLevel: 'error',
    })
    const start = (): Promise<string> =>
      new Promise((resolve, reject) =>
        execFile(process.execPath, [bundle], (error, stdout) => (error === null ? resolve(stdout) : reject(error))),
      )
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, start))
    expect(new Set(others)).toEqual(new Set([first]))
    expect(readdirSync(`${folder}/data/pki`).sort()).toEqual(
      ['admin', 'apiserver', 'ca'].flatMap((name) => [`${name}.crt`, `${name}.key`]).concat('sa.key'),
    )
  })

  it('take over the lock of a process that is gone', () => {
    mkdirSync(`${folder}/data/pki`, { recursive: true })
    // No process has an id as large as that.
    writeFileSync(`${folder}/data/pki/.lock`, '99999999\n')
    load()
    expect(readdirSync(`${folder}/data/pki`)).not.toContain('.lock')
  })

  it('keep private keys to the owner', () => {
    load()
    for (const name of ['ca', 'apiserver', 'admin']) {
      expect(statSync(`${folder}/data/pki/${name}.key`).mode & 0o777, name).toBe(0o600)
    }
  })

  it('get a new serving certificate when a name is missing, under the same CA', () => {
    const first = load()
    const second = load('--external-hostname=api.example')
    expect(second.ca).toEqual(first.ca)
    expect(isStillGood(second.serving.certPem, first.ca.certPem, ['api.example', '127.0.0.1'], Date.now())).toBe(true)
  })

  it('hold the first address of the service range', () => {
    const { serving, ca } = load('--service-cluster-ip-range=10.9.0.0/16,fd00::/112')
    expect(isStillGood(serving.certPem, ca.certPem, ['10.9.0.1', 'fd00::1'], Date.now())).toBe(true)
  })

  it('leave a certificate of the user alone', () => {
    load()
    const other = createCertificateAuthority('mine', Date.now())
    const mine = issueCertificate(other, { commonName: 'x', usage: 'server', names: ['x'], now: Date.now() })
    writeFileSync(`${folder}/data/pki/apiserver.crt`, mine.certPem)
    writeFileSync(`${folder}/data/pki/apiserver.key`, mine.keyPem)
    const { serving, servingCaPem } = load()
    expect(serving).toEqual(mine)
    expect(servingCaPem).toBe(mine.certPem)
  })

  it('come from the files that the flags name', () => {
    const ca = createCertificateAuthority('mine', Date.now())
    const pair = issueCertificate(ca, { commonName: 'x', usage: 'server', names: ['x'], now: Date.now() })
    writeFileSync(`${folder}/a.crt`, pair.certPem)
    writeFileSync(`${folder}/a.key`, pair.keyPem)
    expect(load(`--tls-cert-file=${folder}/a.crt`, `--tls-private-key-file=${folder}/a.key`).serving).toEqual(pair)
    expect(() => load(`--tls-cert-file=${folder}/b.crt`, `--tls-private-key-file=${folder}/a.key`)).toThrow(
      '--tls-cert-file: ENOENT',
    )
  })

  it('refuse a damaged certificate instead of replacing it', () => {
    load()
    writeFileSync(`${folder}/data/pki/apiserver.crt`, 'rubbish')
    expect(() => load()).toThrow('apiserver.crt holds no certificate')
    expect(readFileSync(`${folder}/data/pki/apiserver.crt`, 'utf8')).toBe('rubbish')
  })

  it.each(['ca', 'apiserver', 'admin'])('name the file of %s that is at fault, and leave what is there', (name) => {
    load()
    const [cert, key] = [`${folder}/data/pki/${name}.crt`, `${folder}/data/pki/${name}.key`]
    const kept = readFileSync(cert, 'utf8')
    writeFileSync(key, 'rubbish')
    expect(() => load()).toThrow(`${name}.key holds no private key`)
    writeFileSync(key, createCertificateAuthority('other', Date.now()).keyPem)
    expect(() => load()).toThrow(`${name}.key is not the private key of`)
    rmSync(key)
    expect(() => load()).toThrow(`${name}.crt is there without`)
    expect(readFileSync(cert, 'utf8')).toBe(kept)
  })
})

describe('service account keys', () => {
  it('are made when asked for, and kept', async () => {
    const key = await load().serviceAccountKeys.signingKey()
    expect(key.asymmetricKeyType).toBe('rsa')
    const again = load().serviceAccountKeys
    expect((await again.signingKey()).equals(key)).toBe(true)
    expect((await again.verificationKeys())[0]?.equals(createPublicKey(key))).toBe(true)
  })

  it('come from the files that the flags name', async () => {
    const { keyPem } = createCertificateAuthority('x', 0)
    writeFileSync(`${folder}/sa.key`, keyPem)
    const keys = load(
      `--service-account-signing-key-file=${folder}/sa.key`,
      `--service-account-key-file=${folder}/sa.key`,
    ).serviceAccountKeys
    expect((await keys.signingKey()).asymmetricKeyType).toBe('ec')
    expect(await keys.verificationKeys()).toHaveLength(1)
    writeFileSync(`${folder}/sa.key`, 'rubbish')
    expect(() => load(`--service-account-signing-key-file=${folder}/sa.key`)).toThrow('holds no private key')
  })
})

describe('the admin kubeconfig', () => {
  it.each([
    ['0.0.0.0', 'https://127.0.0.1:7443'],
    ['::', 'https://[::1]:7443'],
    ['10.1.2.3', 'https://10.1.2.3:7443'],
  ])('reaches a server on %s', (bind, server) => {
    const options = optionsWith(`--bind-address=${bind}`, '--secure-port=7443')
    const credentials = temporaryCredentials(options, systemClock)
    const config = parse(readFileSync(writeAdminKubeconfig(options, credentials), 'utf8'))
    expect(config.clusters[0].cluster.server).toBe(server)
    const ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString()
    expect(ca).toBe(credentials.ca.certPem)
  })
})
