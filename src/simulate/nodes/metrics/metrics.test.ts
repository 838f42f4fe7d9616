import { expect, it } from 'vitest'
import type { Pod } from '../../objects.ts'
import { newRun } from '../pod-life/pod-run.ts'
import { PodScripts } from '../script/pod-scripts.ts'
import { metricsAnswer } from './metrics-api.ts'
import { containerUsages } from './usage.ts'

const makePod = (name: string, annotations: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name, labels: { app: name }, annotations },
  spec: { nodeName: 'n1', containers: ['a', 'b'].map((container) => ({ name: container, resources: {} })) },
})
const run = {
  ...newRun(0, ''),
  containers: new Map(
    ['a', 'b'].map((name) => [name, { state: { kind: 'running' as const, startedAt: 0 }, restarts: 0 }]),
  ),
}
const pods = [makePod('web'), makePod('db', { 'kwok.x-k8s.io/usage-cpu': '200m' })]
const scripts = new PodScripts()
scripts.add({ pattern: { name: 'web' }, script: { usage: { cpu: '50m', memory: '10Mi' }, container: 'a' }, since: 0 })
const parts = {
  now: () => 0,
  nodes: () => [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }],
  pods: (namespace?: string) => (namespace === undefined || namespace === 'shop' ? pods : []),
  podsOn: () => pods,
  usages: (pod: Pod) => containerUsages(pod, run, { scripts }),
}
const get = (path: string) => {
  const [before = '', query = ''] = path.split('?')
  return metricsAnswer(parts, before, new URLSearchParams(query))
}

it.each<[string, unknown]>([
  ['/apis/metrics.k8s.io', { status: 200, body: { kind: 'APIGroup' } }],
  ['/apis/metrics.k8s.io/v1beta1', { status: 200, body: { resources: [{ name: 'nodes' }, { name: 'pods' }] } }],
  ['/apis/metrics.k8s.io/v1beta1/nodes', { body: { items: [{ usage: { cpu: '451m', memory: '13Mi' } }] } }],
  ['/apis/metrics.k8s.io/v1beta1/nodes/n2', { status: 404 }],
  [
    '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods/web',
    { body: { containers: [{ name: 'a', usage: { cpu: '50m' } }, { usage: { cpu: '1m' } }] } },
  ],
  ['/apis/metrics.k8s.io/v1beta1/pods?labelSelector=app%3Ddb', { body: { items: [{ metadata: { name: 'db' } }] } }],
  [
    '/apis/metrics.k8s.io/v1beta1/pods?fieldSelector=metadata.name%3Dweb',
    { body: { items: [{ metadata: { name: 'web' } }] } },
  ],
  ['/apis/metrics.k8s.io/v1beta1/pods?fieldSelector=status.phase%3DX', { status: 400 }],
  ['/apis/metrics.k8s.io/v1beta1/pods?labelSelector=%21%21', { status: 400 }],
  ['/apis/metrics.k8s.io/v1beta1/namespaces/other/pods', { body: { items: [] } }],
  ['/apis/metrics.k8s.io/v2', { status: 404 }],
])('%s', (path, expected) => expect(get(path)).toMatchObject(expected as object))

it('leaves other paths to others', () => expect(get('/healthz')).toBeUndefined())
