// What files may have, in the words of kube-apiserver v1.36.4.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { typesAt } from '../../catalog/catalog.ts'
import type { ReloadOutcome } from '../../config/files/watched-file.ts'
import { systemClock } from '../../lib/clock.ts'
import { readManifests } from './manifest-files.ts'
import { loadPolicies, type PolicyManifests } from './policy-manifests.ts'
import { openStaticFolder, type StaticLoading } from './static-configurations.ts'
import { StaticSet } from './static-set.ts'
import { loadWebhooks } from './webhook-manifests.ts'

const types = typesAt(36)
const version = 'apiVersion: admissionregistration.k8s.io/v1'
const policy = (name = 'p.static.k8s.io', more = ''): string =>
  `${version}\nkind: ValidatingAdmissionPolicy\nmetadata: {name: ${name}}\nspec: {validations: [{expression: 'true'}]${more}}\n`
const binding = (policyName = 'p.static.k8s.io', more = ''): string =>
  `${version}\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b.static.k8s.io}\nspec: {policyName: '${policyName}'${more}}\n`
const webhooks = (clientConfig = '{url: https://a}', kind = 'ValidatingWebhookConfiguration'): string =>
  `${version}\nkind: ${kind}\nmetadata: {name: w.static.k8s.io}\nwebhooks: [{name: h, clientConfig: ${clientConfig}}]\n`

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manifests-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

const check = async (object: KubeObject): Promise<KubeObject> => object

const policiesIn = async (): Promise<PolicyManifests> =>
  loadPolicies((await readManifests(folder)).documents, { kind: 'ValidatingAdmissionPolicy', types, check })
const webhooksIn = async () =>
  loadWebhooks((await readManifests(folder)).documents, { kind: 'ValidatingWebhookConfiguration', types, check })

async function refusal(load: () => Promise<unknown>): Promise<string> {
  try {
    await load()
    return ''
  } catch (error) {
    return (error as Error).message.replaceAll(folder, 'D')
  }
}

const names = (objects: readonly KubeObject[]): unknown[] => objects.map(({ metadata }) => metadata.name)

const scheme = 'in scheme "pkg/admission/plugin/policy/manifest/loader/validating_loader.go:35"'

describe('policies of files', () => {
  it('are found in all files that are YAML or JSON, lists of any kind included, by name', async () => {
    write('b.yaml', `${policy()}---\n${binding()}`)
    write('a.JSON', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [jsonPolicy('l.static.k8s.io')] }))
    write('c.yml', `${version}\nkind: ValidatingAdmissionPolicyList\nitems: [{metadata: {name: z.static.k8s.io}}]\n`)
    write('d.txt', 'not read')
    const found = await policiesIn()
    expect(names(found.policies)).toEqual(['l.static.k8s.io', 'p.static.k8s.io', 'z.static.k8s.io'])
    expect(names(found.bindings)).toEqual(['b.static.k8s.io'])
    expect(found.policies[2]).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
    })
  })

  const jsonPolicy = (name: string): object => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
  })

  it('may be none', async () => {
    expect(await policiesIn()).toEqual({ policies: [], bindings: [] })
    expect((await readManifests(folder)).digest).toBe('')
  })

  it.each<[string, string, string]>([
    ['have a name', policy('""'), 'resource in file "D/a.yaml" must have a name'],
    ['have one for files', policy('p'), '"p" in file "D/a.yaml" must have a name ending with ".static.k8s.io"'],
    [
      'have one each',
      `${policy()}---\n${policy()}`,
      'duplicate name "p.static.k8s.io" found in file "D/a.yaml" (previously seen in "D/a.yaml")',
    ],
    [
      'have no parameters',
      policy('p.static.k8s.io', ', paramKind: {kind: ConfigMap}'),
      'ValidatingAdmissionPolicy "p.static.k8s.io": spec.paramKind is not supported for static manifests',
    ],
    ['are bound', binding(''), 'binding "b.static.k8s.io" must reference a policy (spec.policyName)'],
    [
      'are bound by names for files',
      binding('p'),
      'binding "b.static.k8s.io": spec.policyName "p" must end with ".static.k8s.io"',
    ],
    [
      'are bound without parameters',
      binding('p.static.k8s.io', ', paramRef: {name: x}'),
      'binding "b.static.k8s.io": spec.paramRef is not supported for static manifests',
    ],
    ['are no webhooks', webhooks(), 'unsupported resource type *v1.ValidatingWebhookConfiguration'],
    [
      'are in one version',
      policy().replace('/v1', '/v1beta1'),
      'unsupported resource type *v1beta1.ValidatingAdmissionPolicy',
    ],
    ['are nothing else', 'apiVersion: v1\nkind: Pod', `no kind "Pod" is registered for version "v1" ${scheme}`],
    [
      'are of a kind that there is',
      `${version}\nkind: Foo`,
      `no kind "Foo" is registered for version "admissionregistration.k8s.io/v1" ${scheme}`,
    ],
    [
      'have no unknown fields',
      policy('p.static.k8s.io', ', colour: red'),
      'strict decoding error: unknown field "spec.colour"',
    ],
    [
      'have no field twice',
      policy('p.static.k8s.io', ', variables: [], variables: []'),
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "variables" already set in map',
    ],
    ['say what they are', 'a: b', "Object 'Kind' is missing in 'a: b'"],
    ['say of which version', 'kind: b', "Object 'apiVersion' is missing in 'kind: b'"],
    ['are YAML', 'a: [', 'yaml: line 1: did not find expected node content'],
    [
      'are objects',
      'hello',
      String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
    [
      'are of their type',
      `${version}\nkind: ValidatingAdmissionPolicy\nspec: 3`,
      'json: cannot unmarshal number into Go struct field ValidatingAdmissionPolicy.spec of type v1.ValidatingAdmissionPolicySpec',
    ],
    [
      'are so in lists, too',
      'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]',
      `failed to decode list item: no kind "Pod" is registered for version "v1" ${scheme}`,
    ],
  ])('%s', async (_, text, why) => {
    write('a.yaml', text)
    expect(await refusal(policiesIn)).toBe(`error loading D/a.yaml: ${why}`)
  })

  it('are there for every binding', async () => {
    write('a.yaml', binding())
    expect(await refusal(policiesIn)).toBe(
      'binding "b.static.k8s.io" references policy "p.static.k8s.io" which does not exist in the manifest directory',
    )
  })

  it('are separated by lines of their own', async () => {
    write('a.yaml', 'a: b\n---x')
    expect(await refusal(policiesIn)).toBe(
      'failed to split YAML documents in file "D/a.yaml": invalid Yaml document separator: x',
    )
  })
})

describe('webhooks of files', () => {
  it.each<[string, string, string]>([
    [
      'are no services',
      webhooks('{service: {name: a, namespace: b}}'),
      'webhook "h" in "w.static.k8s.io" (file "D/a.yaml"): clientConfig.service is not supported for static manifests; use clientConfig.url instead',
    ],
    [
      'have a URL',
      webhooks('{}'),
      'webhook "h" in "w.static.k8s.io" (file "D/a.yaml"): clientConfig.url is required for static manifests',
    ],
    [
      'are of one sort',
      webhooks('{}', 'MutatingWebhookConfiguration'),
      'unsupported resource type *v1.MutatingWebhookConfiguration',
    ],
  ])('%s', async (_, text, why) => {
    write('a.yaml', text)
    expect(await refusal(webhooksIn)).toBe(`error loading D/a.yaml: ${why}`)
  })

  it('come by name', async () => {
    write('a.yaml', webhooks())
    write('b.yaml', webhooks().replace('w.static', 'a.static'))
    expect(names(await webhooksIn())).toEqual(['a.static.k8s.io', 'w.static.k8s.io'])
  })
})

describe('a folder', () => {
  const set = new StaticSet<PolicyManifests>()
  const outcomes: string[] = []
  const loading: StaticLoading = {
    sets: { policies: { ValidatingAdmissionPolicy: set }, webhooks: {} },
    types,
    check,
    clock: systemClock,
    onLoad: (_, outcome: ReloadOutcome, digest) => outcomes.push(`${outcome.ok} ${digest.slice(0, 12)}`),
  }
  const open = () => openStaticFolder({ plugin: 'ValidatingAdmissionPolicy', folder }, loading)

  it('is followed, and what was good last stays in force', async () => {
    write('a.yaml', policy())
    const close = await open()
    expect(names(set.value?.policies ?? [])).toEqual(['p.static.k8s.io'])
    write('b.yaml', policy('q.static.k8s.io'))
    await expect.poll(() => names(set.value?.policies ?? [])).toEqual(['p.static.k8s.io', 'q.static.k8s.io'])
    write('c.yaml', policy('wrong'))
    await expect.poll(() => outcomes.length).toBe(3)
    expect(names(set.value?.policies ?? [])).toEqual(['p.static.k8s.io', 'q.static.k8s.io'])
    expect(outcomes.map((each) => each.split(' ')[0])).toEqual(['true', 'true', 'false'])
    // Which files are in force has not changed.
    expect(outcomes[2]?.split(' ')[1]).toBe(outcomes[1]?.split(' ')[1])
    close()
  })

  it('must be good when a server starts', async () => {
    write('a.yaml', policy('p'))
    expect(await refusal(open)).toBe(
      'failed to apply admission: failed to initialize admission plugin "ValidatingAdmissionPolicy": failed to load static policy manifests from "D": error loading D/a.yaml: "p" in file "D/a.yaml" must have a name ending with ".static.k8s.io"',
    )
  })

  it('must be there', async () => {
    const missing = await refusal(() => readManifests(join(folder, 'x')))
    expect(missing).toMatch(/^failed to read manifest directory "D\/x": /)
  })
})
