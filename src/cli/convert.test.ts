import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeYaml } from '../codec/yaml.ts'
import { convert } from './convert.ts'
import { lint } from './lint.ts'
import type { Tool } from './tool.ts'

const folder = mkdtempSync(join(tmpdir(), 'convert-'))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function run(tool: Tool, ...args: string[]) {
  let printed = ''
  let noted = ''
  const code = await tool(args, {
    print: (text) => {
      printed += text
    },
    note: (text) => {
      noted += text
    },
    isTerminal: false,
  })
  return { code, printed, noted }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
const yaml = (text: string): any => decodeYaml(Buffer.from(text)).value

const ingress = `apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: web
  namespace: shop
spec:
  rules:
  - http:
      paths:
      - backend:
          serviceName: web
          servicePort: 80
`
const deployment = `apiVersion: apps/v1beta1
kind: Deployment
metadata:
  name: d
spec:
  template:
    metadata:
      labels: {app: d}
    spec:
      containers:
      - {name: c, image: i}
`

describe('convert', () => {
  it('prints one object as it is', async () => {
    const { code, printed, noted } = await run(convert, '-f', file('ingress.yaml', ingress))
    expect([code, noted]).toEqual([0, ''])
    expect(yaml(printed)).toMatchObject({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        rules: [
          {
            http: {
              paths: [
                { pathType: 'ImplementationSpecific', backend: { service: { name: 'web', port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    })
  })

  it('keeps the order of documents, lists and files, and prints a List', async () => {
    const many = file('many.yaml', `# first\n---\n${ingress}---\n---\n${deployment}`)
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
        { apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { name: 'c' }, spec: { schedule: '* * * * *' } },
      ],
    }
    const two = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '}{' } })
    const json = file('list.json', `${JSON.stringify(list)}\n${two}`)
    const { code, printed } = await run(convert, '-f', many, '-f', json, '-o', 'json')
    const { apiVersion, kind, items } = JSON.parse(printed)
    expect([code, apiVersion, kind]).toEqual([0, 'v1', 'List'])
    expect(items.map((item: { apiVersion: string; kind: string }) => `${item.apiVersion} ${item.kind}`)).toEqual([
      'networking.k8s.io/v1 Ingress',
      'apps/v1 Deployment',
      'v1 Pod',
      'batch/v1 CronJob',
      'v1 ConfigMap',
    ])
  })

  it('goes to the version that is asked for, forward and back', async () => {
    const there = await run(convert, '-f', file('d.yaml', deployment), '--output-version', 'apps/v1')
    expect(yaml(there.printed).spec).toMatchObject({ revisionHistoryLimit: 2, selector: { matchLabels: { app: 'd' } } })
    const back = await run(convert, '-f', file('d2.yaml', there.printed), '--output-version', 'extensions/v1beta1')
    expect(yaml(back.printed)).toMatchObject({ apiVersion: 'extensions/v1beta1', spec: { revisionHistoryLimit: 2 } })
  })

  it('reads folders', async () => {
    const inner = join(folder, 'inner')
    mkdirSync(join(inner, 'deep'), { recursive: true })
    writeFileSync(join(inner, 'b.yml'), ingress)
    writeFileSync(join(inner, 'a.json'), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }))
    writeFileSync(join(inner, 'note.txt'), 'nothing')
    writeFileSync(join(inner, 'deep', 'c.yaml'), deployment)
    const kinds = async (...args: string[]) =>
      yaml((await run(convert, '-f', inner, ...args)).printed).items.map(({ kind }: { kind: string }) => kind)
    expect(await kinds()).toEqual(['Pod', 'Ingress'])
    expect(await kinds('-R')).toEqual(['Pod', 'Ingress', 'Deployment'])
  })

  it('leaves out what the version does not have, and leaves alone what it does not know', async () => {
    const custom = 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\nspec: {size: 3}\n'
    const both = file('both.yaml', `${deployment}---\n${custom}`)
    const { code, printed, noted } = await run(convert, '-f', both, '--output-version', 'networking.k8s.io/v1')
    expect(code).toBe(0)
    expect(yaml(printed).items).toEqual([yaml(custom)])
    expect(noted).toContain(
      'Deployment d: left out: Deployment of apps/v1beta1 cannot be converted to networking.k8s.io/v1',
    )
    expect(noted).toContain('Thing t: example.com/v1 Thing is not built in and stays as it is')
  })

  it('moves what a definition has at the top into its versions', async () => {
    const definition = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  version: v1
  names: {plural: things, kind: Thing}
  preserveUnknownFields: false
  validation: {openAPIV3Schema: {type: object}}
  additionalPrinterColumns:
  - {name: Size, type: string, JSONPath: .size}
`
    const { printed } = await run(convert, '-f', file('crd.yaml', definition))
    expect(yaml(printed).spec).toMatchObject({
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          schema: { openAPIV3Schema: { type: 'object' } },
          additionalPrinterColumns: [{ name: 'Size', jsonPath: '.size' }],
        },
      ],
    })
  })

  it.each([
    ['no file', [], 'must specify -f'],
    ['a format', ['-f', 'x', '-o', 'wide'], '--output must be yaml or json, not wide'],
    ['a version', ['-f', 'x', '--output-version', 'a/b/c'], 'unexpected GroupVersion string: a/b/c'],
    ['a flag', ['--nope'], 'unknown flag: --nope'],
  ])('refuses %s', async (_, args, message) => {
    await expect(run(convert, ...args)).rejects.toThrow(message)
  })

  it.each([
    ['kind: Pod\n', 'an object has no apiVersion'],
    ['apiVersion: v1\n', 'an object has no kind'],
    ['- 1\n', 'a document is no object'],
    ['a: [\n', 'yaml: '],
  ])('tells what is wrong with a file: %j', async (text, message) => {
    await expect(run(convert, '-f', file('bad.yaml', text))).rejects.toThrow(message)
  })
})

describe('lint', () => {
  it('says what was removed, when, and what changes', async () => {
    const { code, printed } = await run(lint, '-f', file('old.yaml', `${ingress}---\n${deployment}`))
    expect(code).toBe(2)
    expect(printed).toContain(
      'Ingress shop/web: extensions/v1beta1 was removed in v1.22; use networking.k8s.io/v1 (since v1.19)\n',
    )
    expect(printed).toContain('    - spec.backend is called spec.defaultBackend\n')
    expect(printed).toContain(
      'fields that are not there any more: spec.rules[0].http.paths[0].backend.serviceName, spec.rules[0].http.paths[0].backend.servicePort',
    )
    expect(printed).toContain('Deployment d: apps/v1beta1 was removed in v1.16; use apps/v1')
    expect(printed).toContain('2 objects for v1.33: 2 removed, 0 deprecated, 0 too early, 0 fine\n')
  })

  it.each([
    ['1.21', [], 'deprecated', 0],
    ['1.21', ['--strict'], 'deprecated', 2],
    ['1.22', [], 'removed', 2],
  ])('at %s %j an old Ingress is %s', async (release, more, state, code) => {
    const path = file('one.yaml', ingress)
    const result = await run(lint, '-f', path, '--release', release, '-o', 'json', ...more)
    expect(result.code).toBe(code)
    expect(JSON.parse(result.printed).findings).toEqual([
      expect.objectContaining({
        file: path,
        apiVersion: 'extensions/v1beta1',
        kind: 'Ingress',
        name: 'shop/web',
        state,
        deprecated: '1.14',
        removed: '1.22',
        replacement: { apiVersion: 'networking.k8s.io/v1', since: '1.19' },
      }),
    ])
  })

  it.each([
    ['what is fine', 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n', '1.33', 'ok', 0],
    ['what came later', 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: d}\n', '1.20', 'early', 2],
    ['what is not built in', 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: d}\n', '1.33', 'unknown', 0],
    [
      'what has no successor',
      'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: d}\n',
      '1.25',
      'removed',
      2,
    ],
    [
      'what goes in the next release',
      'apiVersion: admissionregistration.k8s.io/v1beta1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: d}\n',
      '1.34',
      'removed',
      2,
    ],
  ])('knows %s', async (_, text, release, state, code) => {
    const result = await run(lint, '-f', file('state.yaml', text), '--release', release, '-o', 'json')
    expect(JSON.parse(result.printed).findings[0].state).toBe(state)
    expect(result.code).toBe(code)
  })

  it('refuses a release that is none', async () => {
    await expect(run(lint, '-f', 'x', '--release', '33')).rejects.toThrow('--release must be a release such as 1.33')
  })
})
