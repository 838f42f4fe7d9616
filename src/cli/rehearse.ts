/**
 * Run once when the package is built: does what most processes will do first. It leaves the state that test servers start
 * with in a folder, and in this process the compiled form of every function that a start needs, for the build to keep.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer } from '../server/server.ts'
import type { ApiObject } from '../testing/api/objects.ts'
import type { TestServer } from '../testing/api/server.ts'
import { startTestServer } from '../testing/open-test-server.ts'
import { parseCommandLine } from './command-line.ts'
import { serve } from './serve.ts'

export async function rehearse(stateFile: string): Promise<void> {
  const bare = await startTestServer()
  // What its controllers could not do at once they do by then.
  await bare.clock.advance(1000)
  await bare.settled()
  writeFileSync(stateFile, JSON.stringify(await bare.startState()))
  await bare.close()
  const prepared = await startTestServer()
  await prepared.reset()
  await rehearseRequests(prepared)
  await prepared.close()
  await rehearseCommand()
}

/** What is asked of most servers first. */
async function rehearseRequests(server: TestServer): Promise<void> {
  const labels = { app: 'rehearsal' }
  const spec = { containers: [{ name: 'main', image: 'example.com/rehearsal:v1', ports: [{ containerPort: 80 }] }] }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'rehearsal', namespace: 'default', labels }, spec }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'rehearsal', namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
  const pods = '/api/v1/namespaces/default/pods'
  for (const path of ['/api', '/apis', '/api/v1', '/openapi/v3', '/version']) await server.call('GET', path)
  await server.call('POST', pods, pod)
  await server.call('POST', pods, { ...pod, metadata: { generateName: 'rehearsal-', labels } })
  const found = await server.call('GET', `${pods}/rehearsal`)
  await server.call('PUT', `${pods}/rehearsal`, {
    ...found,
    metadata: { ...found.metadata, labels: { ...labels, a: 'b' } },
  })
  const asMerge = { headers: { 'content-type': 'application/merge-patch+json' } }
  await server.call('PATCH', `${pods}/rehearsal`, { metadata: { annotations: { a: 'b' } } }, asMerge)
  await server.call('PATCH', `${pods}/rehearsal/status`, { status: { phase: 'Running' } }, asMerge)
  await server.apply([deployment, deployment])
  await server.waitFor('pods', ({ metadata }) => metadata?.name === 'rehearsal')
  await server.list('deployments')
  await server.call('DELETE', `${pods}/rehearsal`)
  await server.namespace()
  await server.apply(rehearsalDefinition)
  await server.waitFor('customresourcedefinitions', ({ status }) =>
    status?.conditions?.some(({ type }: ApiObject) => type === 'Established'),
  )
  const custom = { apiVersion: 'example.com/v1', kind: 'Rehearsal', metadata: { name: 'a', namespace: 'default' } }
  await server.apply({ ...custom, spec: { size: 1 } })
}

const rehearsalDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rehearsals.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'rehearsals', singular: 'rehearsal', kind: 'Rehearsal', listKind: 'RehearsalList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1, default: 1 },
                  tags: { type: 'array', items: { type: 'string' } },
                },
                'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too large' }],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

/** The command as it is started without any flag, but for where it writes and listens: on a free port. */
async function rehearseCommand(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-build-'))
  const command = parseCommandLine(['--bind-address=127.0.0.1', `--data-dir=${folder}`])
  if (command.kind !== 'serve') throw new Error('flags alone must start a server')
  const options = { ...command.options, serving: { ...command.options.serving, securePort: 0 } }
  const environment = {
    loadServer: async () => startServer,
    print: () => undefined,
    onReady: () => void process.emit('SIGTERM'),
    logOutput: { write: () => undefined },
  }
  try {
    await serve(options, environment)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
