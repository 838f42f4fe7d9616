// A CA and certificates for the tests, made anew each time by openssl.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of PEM files. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export function createCa(folder: string, name: string): Certificate {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  execFileSync(
    'openssl',
    ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-days', '1', '-subj', `/CN=${name}`],
    { stdio: 'ignore' },
  )
  return { cert, key }
}

/** A certificate of the CA for 127.0.0.1, good for servers and clients. */
export function issueCertificate(folder: string, name: string, ca: Certificate): Certificate {
  const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((end) =>
    join(folder, `${name}.${end}`),
  ) as [string, string, string, string]
  writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n')
  execFileSync('openssl', ['req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${name}`], {
    stdio: 'ignore',
  })
  const signing = ['-CA', ca.cert, '-CAkey', ca.key, '-CAcreateserial', '-days', '1', '-extfile', extensions]
  execFileSync('openssl', ['x509', '-req', '-in', request, '-out', cert, ...signing], { stdio: 'ignore' })
  return { cert, key }
}
