import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkTool } from './check.ts'
// Loaded on demand otherwise, which takes a while that no test should be charged with.
import '../../testing/open-test-server.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-check-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const target = path.join(folder, name)
  writeFileSync(target, text)
  return target
}

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = ''
  const print = (more: string): void => {
    text += more
  }
  const code = await checkTool(args, { print, note: print, isTerminal: false })
  return { code, text: text.replaceAll(`${folder}${path.sep}`, '') }
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, singular: widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {size: {type: integer}}
              x-kubernetes-validations: [{rule: "self.size < 10", message: too large}]
`

const widget = `apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec:
  size: 12
  colour: red
`

const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owners}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations:
    - expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
      message: an owner is needed
    - expression: "!has(object.spec)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owners}
spec: {policyName: owners, validationActions: [Deny]}
`

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`

describe('check', () => {
  it('finds nothing in what is good', async () => {
    expect(await run('-f', file('a.yaml', configMap('a')))).toEqual({
      code: 0,
      text: '1 object in 1 file: 0 errors, 0 warnings\n',
    })
  })

  it('tells unknown fields and rules of custom resources, each with its line', async () => {
    const crds = file('crds.yaml', definition)
    const { code, text } = await run('-f', file('w.yaml', `${configMap('a')}---\n${widget}`), '--crds', crds)
    expect(code).toBe(2)
    expect(text.split('\n').slice(0, 3)).toEqual([
      'w.yaml:11: error: Widget shop/w: spec.colour: unknown field [UnknownField]',
      'w.yaml:9: error: Widget shop/w: spec: Invalid value: "object": too large [FieldValueInvalid]',
      '3 objects in 2 files: 2 errors, 0 warnings',
    ])
  })

  it('takes definitions and namespaces from the files themselves, in any order', async () => {
    const shop = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
    const good = widget.replace('12', '3').replace('  colour: red\n', '')
    expect((await run('-f', file('all.yaml', `${good}---\n${shop}---\n${definition}`))).text).toContain('0 errors')
  })

  it('asks policies, and tells of expressions that do not fit', async () => {
    const policies = file('policies.yaml', policy)
    const objects = file('o.yaml', `${configMap('a')}---\n${configMap('b')}  labels: {owner: me}\n`)
    const { code, text } = await run('-f', objects, '--policies', policies, '-o', 'json')
    expect(code).toBe(2)
    const { errors, warnings, objects: checked } = JSON.parse(text)
    expect([errors, warnings]).toEqual([1, 1])
    expect(checked.map(({ name, findings }: { name: string; findings: unknown[] }) => [name, findings.length])).toEqual(
      [
        ['owners', 1],
        ['owners', 0],
        ['a', 1],
        ['b', 0],
      ],
    )
    expect(checked[0].findings[0]).toMatchObject({ rule: 'ExpressionType', line: 10 })
    expect(checked[2].findings[0]).toMatchObject({
      rule: 'ValidatingAdmissionPolicy',
      message: "ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: an owner is needed",
    })
  })

  it('tells everything that policies say to an object', async () => {
    const second = policy.replaceAll('owners', 'names').replace('an owner is needed', 'another one, too')
    const strict = policy.replace('"!has(object.spec)"', "object.metadata.name != 'a'")
    const policies = file('policies.yaml', `${strict}---\n${second}`)
    const { text } = await run('-f', file('o.yaml', configMap('a')), '--policies', policies, '-o', 'json')
    const { objects } = JSON.parse(text) as { objects: { kind: string; findings: { message: string }[] }[] }
    const said = objects.find(({ kind }) => kind === 'ConfigMap')?.findings.map(({ message }) => message)
    expect(said?.sort()).toEqual([
      "ValidatingAdmissionPolicy 'names' with binding 'names' denied request: another one, too",
      "ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: an owner is needed",
      "ValidatingAdmissionPolicy 'owners' with binding 'owners' denied request: failed expression: object.metadata.name != 'a'",
    ])
  })

  it('tells removed versions, unknown kinds, doubles and files that are none', async () => {
    const removed = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: p}\n'
    const unknown = 'apiVersion: nobody.example/v1\nkind: Thing\nmetadata: {name: t}\n'
    const source = file('a.yaml', [removed, unknown, configMap('a'), configMap('a'), 'kind: [\n'].join('---\n'))
    const { text } = await run('-f', source, '--skip-unknown')
    expect(text.split('\n')).toEqual([
      'a.yaml:1: error: PodDisruptionBudget p: apiVersion: policy/v1beta1 was removed in v1.25; use policy/v1 (since v1.21) [RemovedVersion]',
      'a.yaml:6: warning: Thing t: kind: no matches for kind "Thing" in version "nobody.example/v1" [UnknownKind]',
      'a.yaml:17: error: ConfigMap a: metadata.name: the same object is in a.yaml, line 9 [DoubleObject]',
      'a.yaml:19: error: did not find expected node content [Syntax]',
      '5 objects in 1 file: 3 errors, 1 warning',
      '',
    ])
  })

  it('counts warnings only if asked to', async () => {
    const endpoints = file('e.yaml', 'apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n')
    expect((await run('-f', endpoints)).code).toBe(0)
    const { code, text } = await run('-f', endpoints, '--strict')
    expect([code, text]).toEqual([2, expect.stringContaining('[Deprecated]')])
  })

  it('judges what the server has of itself as a change', async () => {
    const own = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, labels: {a: b}}\n'
    expect((await run('-f', file('n.yaml', own))).code).toBe(0)
  })

  it('writes JUnit and SARIF', async () => {
    const source = file('w.yaml', `${configMap('a')}\n  labels: {"<b>": "&"}\n`)
    const junit = await run('-f', source, '-o', 'junit')
    expect(junit.text).toContain('<testsuite name="w.yaml" tests="1" failures="1">')
    expect(junit.text).toContain('&quot;&lt;b&gt;&quot;')
    const { runs } = JSON.parse((await run('-f', source, '-o', 'sarif')).text)
    expect(runs[0].results[0]).toMatchObject({ ruleId: 'FieldValueInvalid', level: 'error' })
    expect(runs[0].results[0].locations[0].physicalLocation.region.startLine).toBe(6)
  })

  it.each([
    [[], 'must specify -f'],
    [['-f', 'x', '-o', 'xml'], '--output must be text, json, junit, sarif, not xml'],
    [['-f', 'no-such-file'], 'no such file'],
  ])('%j is a mistake', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message)
  })

  it('passes flags to the server', async () => {
    const policies = 'apiVersion: networking.k8s.io/v1beta1\nkind: IPAddress\nmetadata: {name: 10.0.0.9}\n'
    const source = file('i.yaml', `${policies}spec: {parentRef: {resource: services, name: a, namespace: b}}\n`)
    expect((await run('-f', source)).text).toContain('[UnknownKind]')
    expect((await run('-f', source, '--', '--runtime-config=networking.k8s.io/v1beta1=true')).text).not.toContain(
      '[UnknownKind]',
    )
  })
})

describe('more of a check', () => {
  const wrongPolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations: [{expression: object.spec.replicsa < 5}]
`

  it.each(['-f', '--policies'])('checks the expressions of policies under %s', async (flag) => {
    const args =
      flag === '-f'
        ? ['-f', file('policy.yaml', wrongPolicy)]
        : [
            '--policies',
            file('policy.yaml', wrongPolicy),
            '-f',
            file('a.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n'),
          ]
    const { code, text } = await run(...args)
    expect(code).toBe(0)
    expect(text).toContain("undefined field 'replicsa'")
    expect(text).toContain('[ExpressionType]')
  })

  it('takes what it needs from a catalogue, and says nothing of the rest', async () => {
    const catalog = path.join(folder, 'catalog')
    mkdirSync(catalog)
    writeFileSync(path.join(catalog, 'widgets.yaml'), definition)
    writeFileSync(
      path.join(catalog, 'broken.yaml'),
      definition
        .replaceAll('widget', 'gadget')
        .replaceAll('Widget', 'Gadget')
        .replace('scope: Namespaced', 'scope: Nowhere'),
    )
    const { code, text } = await run('-f', file('w.yaml', widget), '--catalog', catalog)
    expect(code).toBe(2)
    expect(text).toContain('too large')
    expect(text).toContain('1 object in 1 file')
    expect(text).not.toContain('Gadget')
  })

  it('says which field may have been meant, of built-in and custom types', async () => {
    const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicsa: 1}\n'
    expect((await run('-f', file('d.yaml', deployment))).text).toContain(
      'spec.replicsa: unknown field: did you mean replicas?',
    )
    const small = widget.replace('size: 12', 'sise: 2')
    const { text } = await run('-f', file('w.yaml', small), '--crds', file('crd.yaml', definition))
    expect(text).toContain('spec.sise: unknown field: did you mean size?')
  })

  it('explains its rules in SARIF', async () => {
    const { text } = await run(
      '-f',
      file('a.yaml', 'apiVersion: v1\nkind: Widget\nmetadata: {name: a}\n'),
      '-o',
      'sarif',
    )
    const [{ tool }] = JSON.parse(text).runs
    expect(tool.driver.rules).toEqual([
      {
        id: 'UnknownKind',
        name: 'UnknownKind',
        shortDescription: { text: 'A kind that nobody defines' },
        fullDescription: { text: 'A kind that nobody defines.' },
        help: { text: expect.stringContaining('--catalog') },
      },
    ])
  })

  it('checks again after a change, until it is told to stop', async () => {
    const name = file('a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n')
    let text = ''
    let rounds = 0
    const note = (): void => {
      if (++rounds === 1) writeFileSync(name, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')
      else process.emit('SIGTERM')
    }
    const print = (more: string): void => {
      text += more
    }
    expect(await checkTool(['-f', name, '--watch'], { print, note, isTerminal: false })).toBe(0)
    expect(text).toMatch(/: 1 error, 0 warnings\n[\s\S]*: 0 errors, 0 warnings\n$/)
  })
})
