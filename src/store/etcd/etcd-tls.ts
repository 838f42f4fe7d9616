/** The files of `--etcd-cafile`, `--etcd-certfile` and `--etcd-keyfile`; one that cannot be used is a `ConfigError` that names its flag. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { ConfigError } from '../../config/config-error.ts'
import { readGivenBytes } from '../../lib/given-file.ts'
import { secureContext } from '../../outbound/trust.ts'
import type { EtcdTls } from './endpoints.ts'

export interface EtcdFiles {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

export function readEtcdTls(files: EtcdFiles): EtcdTls {
  const ca = read('--etcd-cafile', files.ca)
  const cert = read('--etcd-certfile', files.cert)
  const key = read('--etcd-keyfile', files.key)
  check(`--etcd-cafile: ${files.ca} holds no certificate in PEM`, ca, (pem) => secureContext({ ca: pem.toString() }))
  const certificate = check(`--etcd-certfile: ${files.cert} holds no certificate in PEM`, cert, (pem) => {
    return new X509Certificate(pem)
  })
  const privateKey = check(`--etcd-keyfile: ${files.key} holds no private key in PEM`, key, createPrivateKey)
  if (certificate !== undefined && privateKey !== undefined && !certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `--etcd-keyfile: ${files.key} is not the private key of ${files.cert}; give the pair that was issued together`,
    )
  }
  return { ca, cert, key }
}

function read(flag: string, file: string | undefined): Buffer | undefined {
  try {
    return file === undefined ? undefined : readGivenBytes(file)
  } catch (error) {
    throw new ConfigError(`${flag}: ${(error as Error).message}`)
  }
}

function check<T>(message: string, pem: Buffer | undefined, parse: (pem: Buffer) => T): T | undefined {
  try {
    return pem === undefined ? undefined : parse(pem)
  } catch {
    throw new ConfigError(message)
  }
}
