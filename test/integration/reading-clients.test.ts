/** Real clients that follow a resource through a restart of the server: the informer of the Node client, and kubectl. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import type { RunningServer } from '../../src/server/running-server.ts'
import { startServer } from '../../src/server/server.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { kubectl } from './support/kubectl.ts'

const namespace = 'default'
const pauseMs = 300

let folder: string
let server: RunningServer
let config: KubeConfig
let restart: () => Promise<void>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pilothouse-clients-'))
  const parsed = parseServerOptions(['--store', 'lmdb', '--data-dir', folder, '--bind-address', '127.0.0.1'])
  const credentials = temporaryCredentials(parsed, systemClock)
  const start = async (securePort: number): Promise<void> => {
    const options = { ...parsed, serving: { ...parsed.serving, securePort } }
    server = await startServer(options, { logger: silentLogger(), credentials, clock: systemClock })
    await server.ready
  }
  const port = await freePort()
  await start(port)
  restart = async () => {
    await server.close()
    await delay(pauseMs)
    await start(port)
  }
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64')
  config = new KubeConfig()
  config.loadFromClusterAndUser(
    {
      name: 'test',
      server: `https://127.0.0.1:${port}`,
      caData: base64(credentials.servingCaPem),
      skipTLSVerify: false,
    },
    {
      name: 'admin',
      certData: base64(credentials.admin.certPem),
      keyData: base64(credentials.admin.keyPem),
    },
  )
})

afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const create = (api: CoreV1Api, name: string) =>
  api.createNamespacedConfigMap({ namespace, body: { metadata: { name } } })

test('an informer knows what happened, before and after', async () => {
  const api = config.makeApiClient(CoreV1Api)
  await create(api, 'before')
  const known = new Map<string, V1ConfigMap>()
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const informer = makeInformer<V1ConfigMap>(config, path, () => api.listNamespacedConfigMap({ namespace }))
  const nameOf = (object: V1ConfigMap): string => object.metadata?.name ?? ''
  informer.on('add', (object) => known.set(nameOf(object), object))
  informer.on('update', (object) => known.set(nameOf(object), object))
  informer.on('delete', (object) => known.delete(nameOf(object)))
  let stopped = false
  const startAgain = async (): Promise<void> => {
    while (!stopped) {
      await delay(50)
      const isStarted = await informer.start().then(
        () => true,
        () => false,
      )
      if (isStarted) return
    }
  }
  informer.on('error', () => void startAgain())
  await informer.start()
  await until('the first', () => known.has('before'))
  await create(api, 'during')
  await until('the second', () => known.has('during'))
  await restart()
  await api.deleteNamespacedConfigMap({ namespace, name: 'before' })
  await create(api, 'after')
  await until('the changes after the restart', () => known.has('after') && !known.has('before'))
  expect([...known.keys()].filter((name) => !name.startsWith('kube-root')).sort()).toEqual(['after', 'during'])
  stopped = true
  await informer.stop()
})

describe('kubectl', () => {
  test('get --watch goes on where it was', async () => {
    const api = config.makeApiClient(CoreV1Api)
    const file = join(folder, 'kubeconfig')
    writeFileSync(file, config.exportConfig())
    await create(api, 'before')
    const watch = (): { text: () => string; stop: () => void } => {
      const args = ['--kubeconfig', file, 'get', 'configmaps', '-n', namespace, '--watch', '-o', 'name']
      const child = spawn(kubectl, args, { env: { ...process.env, HOME: folder } })
      let text = ''
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      return { text: () => text, stop: () => void child.kill() }
    }
    const first = watch()
    await until('the first', () => first.text().includes('configmap/before'))
    await restart()
    first.stop()
    const second = watch()
    await create(api, 'after')
    const names = ['configmap/before', 'configmap/after']
    await until('both', () => names.every((name) => second.text().includes(name)))
    second.stop()
  })
})
