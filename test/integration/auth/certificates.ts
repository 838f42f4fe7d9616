/** Certificates made with openssl in a folder of their own, for tests. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface KeyAndCertificate {
  readonly key: string
  readonly certificate: string
}

export class CertificateFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  #count = 0

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Written in one step: nobody sees half of it. */
  file(name: string, content: string): string {
    const path = join(this.folder, name)
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
    return path
  }

  authority(name: string): KeyAndCertificate {
    const [key, certificate] = this.#paths()
    this.#openssl(
      'req',
      '-x509',
      ...newKey(key),
      '-out',
      certificate,
      '-days',
      '10',
      '-subj',
      `/CN=${name}`,
      ...usage('critical,CA:true'),
    )
    return read(key, certificate)
  }

  /** An authority of X.509 version 1: nothing in it says that it is one. */
  versionOneAuthority(name: string): KeyAndCertificate {
    const [key, certificate] = this.#paths()
    const request = `${certificate}.csr`
    this.#openssl('req', '-new', ...newKey(key), '-out', request, '-subj', `/CN=${name}`)
    this.#openssl('x509', '-req', '-in', request, '-signkey', key, '-out', certificate, '-days', '5')
    return read(key, certificate)
  }

  /** A serving certificate that nobody else signed, and that signs nothing. */
  selfSigned(subject: string, extensions: readonly string[]): KeyAndCertificate {
    const [key, certificate] = this.#paths()
    const added = ['basicConstraints=critical,CA:false', ...extensions].flatMap((each) => ['-addext', each])
    this.#openssl('req', '-x509', ...newKey(key), '-out', certificate, '-days', '5', '-subj', subject, ...added)
    return read(key, certificate)
  }

  /** A certificate signed by an authority; `extensions` in openssl's words. */
  issue(
    authority: KeyAndCertificate,
    subject: string,
    options: { extensions?: string[]; days?: number } = {},
  ): KeyAndCertificate {
    const [key, certificate] = this.#paths()
    const request = `${certificate}.csr`
    const ca = this.file(`ca-${this.#count}.crt`, authority.certificate)
    const caKey = this.file(`ca-${this.#count}.key`, authority.key)
    const extensions = this.file(`ext-${this.#count}.cnf`, (options.extensions ?? []).join('\n'))
    this.#openssl('req', '-new', ...newKey(key), '-out', request, '-subj', subject)
    this.#openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      ca,
      '-CAkey',
      caKey,
      '-CAcreateserial',
      '-out',
      certificate,
      '-days',
      String(options.days ?? 5),
      '-extfile',
      extensions,
    )
    return read(key, certificate)
  }

  #paths(): [string, string] {
    this.#count++
    return [join(this.folder, `${this.#count}.key`), join(this.folder, `${this.#count}.crt`)]
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'ignore' })
  }
}

const newKey = (path: string): string[] => [
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:prime256v1',
  '-nodes',
  '-keyout',
  path,
]
const usage = (constraints: string): string[] => ['-addext', `basicConstraints=${constraints}`]
const read = (key: string, certificate: string): KeyAndCertificate => ({
  key: readFileSync(key, 'utf8'),
  certificate: readFileSync(certificate, 'utf8'),
})
