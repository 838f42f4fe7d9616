/** What policies and webhooks get of the server: other versions of resources, merged configurations, kinds, types and credentials. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../api/admission.ts'
import { GoNative } from '../api/golang/native.ts'
import type { JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { ConfigError } from '../config/config-error.ts'
import { customResource } from '../extensions/custom/custom-resource.ts'
import { createAs, serverActor } from '../registry/own-writes.ts'
import { openTestRegistry, testCustomDefinition, testDefinitions } from '../registry/testing/test-registry.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { openMemoryStore } from '../store/memory.ts'
import {
  configurationMerger,
  conversionProblem,
  equivalentForms,
  paramKindFinder,
  parseJson,
  typeFinder,
  webhookCredentials,
} from './cluster-forms.ts'
import { expressionWarnings } from './policy/type-checking.ts'
import { testObject, testRequest } from './testing/test-cluster.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Config maps, and what is named: built-in resources with all their versions, `things` for a custom one. */
async function serving(...resources: string[]) {
  const store = openMemoryStore()
  const { registries, reflector } = await openTestRegistry({ store, builtInDefinitions })
  closing.push(
    () => store.close(),
    () => reflector.close(),
  )
  for (const resource of resources) {
    const versions = ['v1', 'v2']
    const definitions =
      resource === 'things'
        ? [testCustomDefinition(customResource)]
        : testDefinitions(builtInDefinitions, { resource, versions })
    for (const definition of definitions) registries.add(definition)
  }
  return { registries, all: () => registries }
}

describe('other forms of a resource', () => {
  const forms = async (served: string[], apiVersion: string, resource: string, subresource = '') => {
    const { all } = await serving(...served)
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    return equivalentForms(all)({ group, version, resource }, subresource).map(
      ({ resource: of, kind }) => `${of.group}/${of.version} ${of.resource} ${kind.group}/${kind.version} ${kind.kind}`,
    )
  }
  const autoscalers = 'horizontalpodautoscalers'
  it.each<[string, string[], [string, string, string?], string[]]>([
    [
      'are its other versions',
      [autoscalers],
      ['autoscaling/v1', autoscalers],
      [`autoscaling/v2 ${autoscalers} autoscaling/v2 HorizontalPodAutoscaler`],
    ],
    [
      'are those of its status',
      [autoscalers],
      ['autoscaling/v2', autoscalers, 'status'],
      [`autoscaling/v1 ${autoscalers} autoscaling/v1 HorizontalPodAutoscaler`],
    ],
    ['are none of a part with a kind of its own', [autoscalers], ['autoscaling/v2', autoscalers, 'scale'], []],
    ['are none where it has one version', [], ['v1', 'configmaps'], []],
    ['are none where it is not served', [], ['v1', 'pods'], []],
    ['are in other groups', ['events'], ['v1', 'events'], ['events.k8s.io/v1 events events.k8s.io/v1 Event']],
    ['are in the first group', ['events'], ['events.k8s.io/v1', 'events'], ['/v1 events /v1 Event']],
    [
      'are those of a custom type',
      ['things'],
      ['example.com/v1', 'things'],
      ['example.com/v2 things example.com/v2 Thing'],
    ],
    [
      'are the scales of a custom type that has them',
      ['things'],
      ['example.com/v2', 'things', 'scale'],
      ['example.com/v1 things autoscaling/v1 Scale'],
    ],
    ['are none of scales that a custom type does not have', ['things'], ['example.com/v1', 'things', 'scale'], []],
  ])('%s', async (_, served, [apiVersion, resource, subresource], expected) => {
    expect(await forms(served, apiVersion, resource, subresource)).toEqual(expected)
  })

  it('are not in a group that is switched off', async () => {
    const { registries, all } = await serving()
    const [core] = testDefinitions(builtInDefinitions, { resource: 'events' })
    registries.add(core!)
    expect(equivalentForms(all)({ group: '', version: 'v1', resource: 'events' }, '')).toEqual([])
  })
})

const requestOf = (apiVersion: string, kind: string, resource: string): AdmissionRequest => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return testRequest({ resource: { group, version, resource }, kind: { group, version, kind } })
}

describe('a configuration', () => {
  async function merged(
    object: KubeObject,
    configuration: JsonObject,
    { request, allowsDuplicates = false }: { request: AdmissionRequest; allowsDuplicates?: boolean },
  ) {
    const { all } = await serving('pods', 'secrets', 'serviceaccounts', 'things', 'deployments')
    try {
      return configurationMerger(all, { allowsDuplicates })(request, object, configuration)
    } catch (error) {
      return (error as Error).message
    }
  }
  const pods = requestOf('v1', 'Pod', 'pods')
  const pod = (spec: JsonObject): KubeObject => testObject('Pod', 'x', { spec })
  const of = (apiVersion: string, kind: string, more: object): KubeObject => ({
    ...testObject(kind, 'x', more),
    apiVersion,
  })
  const things = requestOf('example.com/v1', 'Thing', 'things')

  it.each<[string, KubeObject, JsonObject, AdmissionRequest, unknown]>([
    [
      'is merged, lists by their keys',
      pod({ containers: [{ name: 'a', image: 'x' }, { name: 'b' }] }),
      { spec: { containers: [{ name: 'b', image: 'y' }] } },
      pods,
      {
        spec: {
          containers: [
            { name: 'a', image: 'x' },
            { name: 'b', image: 'y' },
          ],
        },
      },
    ],
    [
      'cannot say what the object is',
      pod({}),
      { apiVersion: 'v9', kind: 'Other', metadata: { labels: { a: 'b' } } },
      pods,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } } },
    ],
    [
      'must fit the type',
      pod({}),
      { spec: { containers: 1, other: 2 } },
      pods,
      expect.stringMatching(/^error applying patch: failed to convert patch object to typed object: errors:\n.*other/s),
    ],
    [
      'must not have what the type does not',
      pod({}),
      { other: 2 },
      pods,
      'error applying patch: failed to convert patch object to typed object: .other: field not declared in schema',
    ],
    [
      'does not replace what is kept whole',
      pod({}),
      { spec: { containers: [{ name: 'a', args: ['b'] }] } },
      pods,
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args',
    ],
    [
      'cannot be merged into lists with the same key twice',
      pod({ containers: [{ name: 'a' }, { name: 'a' }] }),
      {},
      pods,
      'error applying patch: failed to convert original object to typed object: .spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      'cannot be merged into lists with elements without their keys',
      of('v1', 'ServiceAccount', { secrets: [{}] }),
      {},
      requestOf('v1', 'ServiceAccount', 'serviceaccounts'),
      'error applying patch: failed to convert original object to typed object: .secrets: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t have default value)',
    ],
    [
      'must leave an object of the type',
      of('v1', 'Secret', {}),
      { data: { a: '!' } },
      requestOf('v1', 'Secret', 'secrets'),
      expect.stringMatching(/^unable to convert unstructured object to \/v1, Kind=Secret: /),
    ],
    [
      'is merged into a custom object',
      of('example.com/v1', 'Thing', { spec: { size: 1 } }),
      { spec: { size: 2 } },
      things,
      { spec: { size: 2 } },
    ],
    [
      'is merged into one of another version',
      of('example.com/v2', 'Thing', { spec: { size: 1 } }),
      { spec: { size: 2 } },
      things,
      { apiVersion: 'example.com/v2', spec: { size: 2 } },
    ],
    [
      'is merged into what a part of it is',
      of('autoscaling/v1', 'Scale', { spec: { replicas: 1 } }),
      { spec: { replicas: 2 } },
      {
        ...requestOf('apps/v1', 'Deployment', 'deployments'),
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      },
      { kind: 'Scale', spec: { replicas: 2 } },
    ],
    [
      'is merged into nothing that is not known',
      of('example.com/v1', 'Other', {}),
      {},
      requestOf('example.com/v1', 'Other', 'others'),
      'Resource kind Other not found',
    ],
    [
      'must be JSON',
      pod({}),
      { metadata: { annotations: { a: new GoNative('uint64', '1', '0x1') as never } } },
      pods,
      expect.stringMatching(/^error applying patch: /),
    ],
  ])('%s', async (_, object, configuration, request, expected) => {
    const found = await merged(object, configuration, { request })
    if (typeof expected === 'object' && expected !== null && !('asymmetricMatch' in expected))
      expect(found).toMatchObject(expected)
    else expect(found).toEqual(expected)
  })

  it.each<[string, readonly string[], readonly string[]]>([
    ['that it does not name', ['c'], ['a', 'b', 'a', 'c']],
    ['that it names', ['a'], ['a', 'b']],
  ])('is merged into lists with a key twice %s', async (_, names, expected) => {
    const named = (all: readonly string[]) => ({ containers: all.map((name) => ({ name })) })
    const options = { request: pods, allowsDuplicates: true }
    const found = await merged(pod(named(['a', 'b', 'a'])), { spec: named(names) }, options)
    expect(found).toMatchObject({ spec: named(expected) })
  })
})

describe('an object that a policy made', () => {
  it.each<[string, string, string, string, string | undefined]>([
    ['is in the version of the request', 'v1', 'v1', 'configmaps', undefined],
    [
      'is in another version of a built-in kind',
      'autoscaling/v1',
      'autoscaling/v2',
      'horizontalpodautoscalers',
      'converting (v1.Kind) to (v2.Kind): unknown conversion',
    ],
    ['is in another version of a custom kind', 'example.com/v1', 'example.com/v2', 'things', undefined],
    [
      'is of what is not served',
      'v1',
      'example.com/v2',
      'others',
      'converting (v1.Kind) to (v2.Kind): unknown conversion',
    ],
  ])('%s', async (_, made, asked, resource, expected) => {
    const { all } = await serving('horizontalpodautoscalers', 'things')
    const object = { ...testObject('Kind', 'x'), apiVersion: made }
    expect(conversionProblem(all)(requestOf(asked, 'Kind', resource), object)).toBe(expected)
  })
})

describe('kinds of parameters', () => {
  it('are live objects, in the version that is named', async () => {
    const { registries, all } = await serving('horizontalpodautoscalers')
    const find = paramKindFinder(all)
    const kind = await find('v1', 'ConfigMap')
    expect([kind?.namespaced, kind?.isTyped, [...(kind?.objects.list() ?? [])]]).toEqual([true, true, []])
    const object = testObject('ConfigMap', 'x', {}, { namespace: 'ns' })
    await createAs(serverActor, registries.need('', 'configmaps'), object)
    expect(kind?.objects.get('ns', 'x')?.metadata.name).toBe('x')
    const autoscaler = {
      ...testObject('HorizontalPodAutoscaler', 'x', { spec: { maxReplicas: 1, scaleTargetRef: {} } }),
      apiVersion: registries.need('autoscaling', 'horizontalpodautoscalers').definition.hub.apiVersion,
    }
    for (const apiVersion of ['autoscaling/v1', 'autoscaling/v2']) {
      const named = await find(apiVersion, 'HorizontalPodAutoscaler')
      expect((await named?.convert(autoscaler))?.apiVersion).toBe(apiVersion)
    }
  })

  it.each<[string, string, { namespaced: boolean; isTyped: boolean } | undefined]>([
    ['v1', 'Namespace', { namespaced: false, isTyped: true }],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', { namespaced: false, isTyped: false }],
    ['apiregistration.k8s.io/v1', 'APIService', { namespaced: false, isTyped: false }],
    ['example.com/v1', 'Thing', { namespaced: true, isTyped: false }],
    ['example.com/v9', 'Thing', undefined],
    ['example.com/v1', 'Other', undefined],
  ])('%s %s', async (apiVersion, kind, expected) => {
    const { all } = await serving('namespaces', 'customresourcedefinitions', 'apiservices', 'things')
    const found = await paramKindFinder(all)(apiVersion, kind)
    expect(found && { namespaced: found.namespaced, isTyped: found.isTyped }).toEqual(expected)
  })
})

describe('types of objects', () => {
  const served = ['horizontalpodautoscalers', 'events', 'things'] as const
  it.each<[string, string, string, string[]]>([
    ['', 'v1', 'configmaps', ['/v1 ConfigMap']],
    ['', 'v2', 'configmaps', []],
    ['autoscaling', 'v2', 'horizontalpodautoscalers', ['autoscaling/v2 HorizontalPodAutoscaler']],
    ['', 'v2', 'horizontalpodautoscalers', ['autoscaling/v2 HorizontalPodAutoscaler']],
    ['apps', 'v2', 'horizontalpodautoscalers', []],
    ['', 'v1', 'events', ['/v1 Event', 'events.k8s.io/v1 Event']],
    ['events.k8s.io', 'v1', 'events', ['events.k8s.io/v1 Event']],
    ['example.com', 'v1', 'things', ['example.com/v1 Thing']],
    ['example.com', 'v1', 'others', []],
  ])('of %s %s %s', async (group, version, resource, expected) => {
    const { all } = await serving(...served)
    const found = typeFinder(all).ofResource(group, version, resource)
    expect(found.map(({ kind }) => `${kind.group}/${kind.version} ${kind.kind}`)).toEqual(expected)
  })

  it.each<[string, string, boolean]>([
    ['v1', 'ConfigMap', true],
    ['autoscaling/v1', 'HorizontalPodAutoscaler', true],
    ['autoscaling/v3', 'HorizontalPodAutoscaler', false],
    ['v1', 'Pod', false],
  ])('of %s %s', async (apiVersion, kind, isKnown) => {
    const { all } = await serving(...served)
    expect(typeFinder(all).ofKind(apiVersion, kind) !== undefined).toBe(isKnown)
  })

  it('have metadata, whatever their schema says', async () => {
    const { all } = await serving('things')
    const resourceRules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['things'] }]
    const wrong = (expression: string): number =>
      expressionWarnings(
        {
          matchConstraints: { resourceRules },
          paramKind: { apiVersion: 'example.com/v1', kind: 'Thing' },
          validations: [{ expression }],
        },
        typeFinder(all),
      ).length
    expect(['object', 'params'].map((root) => wrong(`${root}.metadata.name == 'x' && ${root}.spec.size == 1`))).toEqual(
      [0, 0],
    )
    expect(['object', 'params'].map((root) => wrong(`${root}.spec.none == 1`))).toEqual([1, 1])
  })
})

describe('credentials for webhooks', () => {
  const inFile = (text: string): string => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kubeconfig-'))
    closing.push(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, 'kubeconfig')
    writeFileSync(file, text)
    return file
  }

  it.each([undefined, {}, { kubeConfigFile: '' }, { kubeConfigFile: 1 }, 'text'])('are none in %j', (configuration) => {
    expect(webhookCredentials(configuration)('a:443').headers()).toEqual({})
  })

  it('are those of the file for the host', () => {
    const users = [{ name: 'a', user: { token: 't' } }]
    const file = inFile(JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }))
    const identity = webhookCredentials({ kubeConfigFile: file })
    expect([identity('a:443').headers(), identity('b:443').headers()]).toEqual([{ authorization: 'Bearer t' }, {}])
  })

  it('of a file that cannot be read keep the server from starting', () => {
    expect(() => webhookCredentials({ kubeConfigFile: '/none' })).toThrow(ConfigError)
  })
})

it('reads JSON as Go does', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] })
  expect(() => parseJson('{')).toThrow('unexpected end of JSON input')
})
