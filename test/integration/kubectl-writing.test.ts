/** A real kubectl that changes things: the commands of every day, and both ways to apply. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KubectlServer, startKubectlServer } from './support/kubectl.ts'

interface ManagedFields {
  readonly manager: string
  readonly operation: string
  readonly fieldsV1: Readonly<Record<string, unknown>>
}

const deployment = (name: string, more: Record<string, unknown> = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    },
    ...more,
  },
})
const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

describe('kubectl', () => {
  let server: KubectlServer
  const ok = (...args: string[]): Promise<string> => server.ok(...args)
  const get = async (...args: string[]) =>
    JSON.parse(await ok('get', ...args, '-o', 'json', '--show-managed-fields')) as {
      metadata: { managedFields: ManagedFields[]; annotations?: Record<string, string>; labels: Record<string, string> }
      spec: { replicas: number; template: { spec: { containers: { image: string }[] } } }
      data: Record<string, string>
    }

  beforeAll(async () => {
    server = await startKubectlServer([], { KUBE_EDITOR: './edit.sh' })
    const editor = join(server.folder, 'edit.sh')
    writeFileSync(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n')
    chmodSync(editor, 0o755)
  })
  afterAll(() => server?.close())

  it('applies on the client, and keeps what others set', async () => {
    const path = server.file('web.json', deployment('web'))
    expect(await ok('apply', '-f', path)).toBe('deployment.apps/web created\n')
    expect(await ok('apply', '-f', path)).toBe('deployment.apps/web unchanged\n')
    expect(await ok('annotate', 'deployment', 'web', 'note=kept')).toBe('deployment.apps/web annotated\n')
    server.file('web.json', deployment('web', { replicas: 3, minReadySeconds: 5 }))
    expect(await ok('apply', '-f', path)).toBe('deployment.apps/web configured\n')
    server.file('web.json', deployment('web', { replicas: 3 }))
    expect(await ok('apply', '-f', path)).toBe('deployment.apps/web configured\n')
    const { spec, metadata } = await get('deployment', 'web')
    expect(spec).toMatchObject({ replicas: 3 })
    expect(spec).not.toHaveProperty('minReadySeconds')
    expect(metadata.annotations).toMatchObject({ note: 'kept' })
  })

  it('labels, scales, sets, patches and replaces', async () => {
    expect(await ok('label', 'deployment', 'web', 'tier=front')).toBe('deployment.apps/web labeled\n')
    expect((await server.call('label', 'deployment', 'web', 'tier=back')).stderr).toContain(
      'already has a value (front)',
    )
    expect(await ok('scale', 'deployment', 'web', '--replicas=4', '--current-replicas=3')).toContain('scaled')
    expect((await server.call('scale', 'deployment', 'web', '--replicas=5', '--current-replicas=3')).code).toBe(1)
    expect(await ok('set', 'image', 'deployment/web', 'main=web:2')).toContain('image updated')
    expect(await ok('set', 'env', 'deployment/web', 'COLOUR=blue')).toContain('env updated')
    const json = '[{"op":"replace","path":"/spec/paused","value":true}]'
    expect((await server.call('patch', 'deployment', 'web', '--type=json', '-p', json)).code).toBe(0)
    expect(await ok('patch', 'deployment', 'web', '-p', '{"spec":{"paused":false}}')).toContain('patched')
    const { spec, metadata } = await get('deployment', 'web')
    expect(metadata.labels).toEqual({ tier: 'front' })
    expect(spec.replicas).toBe(4)
    expect(spec.template.spec.containers[0]?.image).toBe('web:2')
    const path = server.file('web.json', deployment('web', { replicas: 1 }))
    expect(await ok('replace', '-f', path)).toBe('deployment.apps/web replaced\n')
    expect(await ok('replace', '--force', '-f', path)).toContain('deployment.apps/web replaced\n')
  })

  it('edits, and asks the server what it would do', async () => {
    await ok('create', 'configmap', 'edited', '--from-literal=word=before')
    expect(await ok('edit', 'configmap', 'edited')).toBe('configmap/edited edited\n')
    expect((await get('configmap', 'edited')).data).toEqual({ word: 'after' })
    expect(await ok('delete', 'configmap', 'edited', '--dry-run=server')).toContain('deleted (server dry run)')
    expect(await ok('get', 'configmap', 'edited', '-o', 'name')).toBe('configmap/edited\n')
  })

  it('follows a roll-out, and waits', async () => {
    expect(await ok('rollout', 'restart', 'deployment/web')).toContain('restarted')
    expect(await ok('rollout', 'pause', 'deployment/web')).toContain('paused')
    expect(await ok('rollout', 'resume', 'deployment/web')).toContain('resumed')
    expect((await server.call('rollout', 'status', 'deployment/web', '--timeout=200ms')).stderr).toContain('timed out')
    const observed = '{"status":{"conditions":[{"type":"Available","status":"True"}]}}'
    await ok('patch', 'deployment', 'web', '--subresource=status', '-p', observed)
    expect(await ok('wait', 'deployment/web', '--for=condition=Available', '--timeout=100s')).toContain('condition met')
  })

  it('deletes owners with, before and without what they own', async () => {
    const owned = async (cascade: string): Promise<string> => {
      await ok('create', 'configmap', `owner-${cascade}`)
      const { metadata } = JSON.parse(await ok('get', 'configmap', `owner-${cascade}`, '-o', 'json')) as {
        metadata: { uid: string }
      }
      const ownerReferences = [
        { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${cascade}`, uid: metadata.uid, blockOwnerDeletion: true },
      ]
      const dependent = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `owned-${cascade}`, ownerReferences } }
      await ok('create', '-f', server.file('owned.json', dependent))
      await ok('delete', 'configmap', `owner-${cascade}`, `--cascade=${cascade}`)
      return `secret/owned-${cascade}`
    }
    await ok('wait', '--for=delete', await owned('background'), '--timeout=100s')
    expect((await server.call('get', await owned('foreground'))).stderr).toContain('not found')
    expect(await ok('get', await owned('orphan'), '-o', 'jsonpath={.metadata.ownerReferences}')).toBe('')
  })

  it('drains a node for show, asks what it may, and copies to nowhere', async () => {
    await ok('create', '-f', server.file('node.json', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }))
    expect(await ok('drain', 'n1', '--dry-run=server')).toContain('node/n1 drained (server dry run)')
    expect(await ok('cordon', 'n1')).toBe('node/n1 cordoned\n')
    expect(await ok('auth', 'can-i', 'delete', 'nodes')).toBe('yes\n')
    expect((await server.call('auth', 'can-i', 'delete', 'nodes', '--as', 'nobody')).stdout).toBe('no\n')
    expect((await server.call('cp', 'no-pod:/tmp/x', './x')).stderr).toContain('pods "no-pod" not found')
  })

  it('applies on the server: conflicts, force, managers, dry run, diff', async () => {
    const path = server.file('shared.json', configMap('shared', { a: '1', b: '1' }))
    const apply = (...more: string[]) => server.call('apply', '--server-side', '-f', path, ...more)
    expect((await apply()).stdout).toBe('configmap/shared serverside-applied\n')
    server.file('shared.json', configMap('shared', { a: '2' }))
    const conflict = await apply('--field-manager=other')
    expect(conflict.code).toBe(1)
    expect(conflict.stderr).toContain('conflict with "kubectl": .data.a')
    const tried = await apply('--field-manager=other', '--force-conflicts', '--dry-run=server')
    expect(tried.stdout).toBe('configmap/shared serverside-applied (server dry run)\n')
    const difference = await server.call(
      ...['diff', '--server-side', '--field-manager=other', '--force-conflicts', '-f', path],
    )
    expect(difference.code).toBe(1)
    expect(difference.stdout).toMatch(/^-\s+a: "1"$/m)
    expect(difference.stdout).toMatch(/^\+\s+a: "2"$/m)
    expect((await apply('--field-manager=other', '--force-conflicts')).code).toBe(0)
    const { data, metadata } = await get('configmap', 'shared')
    expect(data).toEqual({ a: '2', b: '1' })
    expect(metadata.managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1['f:data']])).toEqual([
      ['kubectl', { 'f:b': {} }],
      ['other', { 'f:a': {} }],
    ])
    expect(await ok('get', 'configmap', 'shared', '-o', 'yaml')).not.toContain('managedFields')
    expect(await ok('diff', '--server-side', '--field-manager=other', '-f', path)).toBe('')
  })

  it('moves from applying on the client to applying on the server, and back', async () => {
    const path = server.file('moved.json', configMap('moved', { a: '1', b: '1' }))
    await ok('apply', '-f', path)
    server.file('moved.json', configMap('moved', { a: '2' }))
    await ok('apply', '--server-side', '-f', path)
    const moved = await get('configmap', 'moved')
    expect(moved.data).toEqual({ a: '2' })
    // The annotation has a manager of its own, so that the next apply on the server does not drop it.
    expect(moved.metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`).sort()).toEqual([
      'kubectl Apply',
      'kubectl-last-applied Apply',
    ])
    const lastApplied = moved.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '{}'
    expect(JSON.parse(lastApplied)).toMatchObject({ data: { a: '2' } })
    server.file('moved.json', configMap('moved', { c: '3' }))
    await ok('apply', '-f', path)
    expect((await get('configmap', 'moved')).data).toEqual({ c: '3' })
  })
})
