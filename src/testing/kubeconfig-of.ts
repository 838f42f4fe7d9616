/** Kubeconfigs of a test server's users, as data, as text and as files, and the clients that are made from them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stringify } from 'yaml'
import { writePrivateFile } from '../lib/private-files.ts'
import type { ApiObject } from './api/objects.ts'
import type { ApiClass, TestKubeconfig } from './api/users.ts'

export interface KubeconfigFacts {
  readonly server: string
  /** Undefined: plain HTTP. */
  readonly caPem: string | undefined
  readonly user: string
  readonly token: string
}

/** Files that were written for a server; they go with it. */
export class TemporaryFiles {
  #folder: string | undefined
  #count = 0

  next(name: string): string {
    this.#folder ??= mkdtempSync(path.join(tmpdir(), 'pilothouse-testing-'))
    return path.join(this.#folder, `${++this.#count}-${name}`)
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = undefined
  }
}

export function kubeconfigOf({ server, caPem, user, token }: KubeconfigFacts, files: TemporaryFiles): TestKubeconfig {
  const cluster =
    caPem === undefined
      ? // Clients send no token over plain HTTP unless `insecure-skip-tls-verify` says so.
        { server, 'insecure-skip-tls-verify': true }
      : { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') }
  const config: ApiObject = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'pilothouse', cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'pilothouse', context: { cluster: 'pilothouse', user } }],
    'current-context': 'pilothouse',
  }
  const yaml = (): string => stringify(config)
  return {
    server,
    config,
    yaml,
    file: (given) => {
      const file = given ?? files.next('kubeconfig')
      writePrivateFile(file, yaml())
      return file
    },
  }
}

/** A client of the JavaScript library that most people use, if it is installed. */
export async function clientOf<T>(kubeconfig: TestKubeconfig, api: ApiClass<T> | string): Promise<T> {
  const library = await import('@kubernetes/client-node').catch((cause: unknown) => {
    throw new Error(
      'client() needs the package @kubernetes/client-node: npm install --save-dev @kubernetes/client-node',
      {
        cause,
      },
    )
  })
  const made = typeof api === 'string' ? (library as unknown as Record<string, ApiClass<T> | undefined>)[api] : api
  if (typeof made !== 'function') throw new Error(`@kubernetes/client-node has no class ${JSON.stringify(api)}`)
  const config = new library.KubeConfig()
  config.loadFromString(kubeconfig.yaml())
  return config.makeApiClient(made as unknown as Parameters<typeof config.makeApiClient>[0]) as T
}
