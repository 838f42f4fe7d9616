import { describe, expect, it } from 'vitest'
import { editable, parseYaml, toYaml } from './edit-text.ts'
import { lineText, yamlLines } from './yaml-lines.ts'
import { lineOf, outline, parentAt, parseFieldPath } from './yaml-outline.ts'

const text = `spec:
  replicas: 1
  containers:
  - name: a
    image: "x:1"
  - name: b
    command:
      - sh
      - -c
    script: |
      key: not one
      - neither
    ports:
    - containerPort: 80
# a comment: no
status:
  "a.b/c": 1
`

describe('outline', () => {
  const paths = outline(text).map(({ line, path }) => `${line} ${path.join('.')}`)

  it('has each key and item', () => {
    expect(paths).toEqual([
      '0 spec',
      '1 spec.replicas',
      '2 spec.containers',
      '3 spec.containers.0',
      '3 spec.containers.0.name',
      '4 spec.containers.0.image',
      '5 spec.containers.1',
      '5 spec.containers.1.name',
      '6 spec.containers.1.command',
      '7 spec.containers.1.command.0',
      '8 spec.containers.1.command.1',
      '9 spec.containers.1.script',
      '12 spec.containers.1.ports',
      '13 spec.containers.1.ports.0',
      '13 spec.containers.1.ports.0.containerPort',
      '15 status',
      '16 status.a.b/c',
    ])
  })

  it.each([
    [['spec', 'containers', 1, 'ports', 0, 'containerPort'], 13],
    [['spec', 'containers', 0, 'missing', 'deep'], 3],
    [['nothing'], undefined],
  ])('finds the line of %j', (path, line) => {
    expect(lineOf(outline(text), path)?.line).toBe(line)
  })

  it.each([
    [1, 2, 'spec'],
    [4, 4, 'spec.containers.0'],
    [5, 4, 'spec.containers.1'],
    [15, 0, ''],
  ])('tells the parent at line %i, column %i', (line, column, wanted) => {
    expect(parentAt(text, line, column).join('.')).toBe(wanted)
  })
})

it.each([
  ['spec.containers[0].image', ['spec', 'containers', 0, 'image']],
  ['.spec.containers[name="b"].image', ['spec', 'containers', 1, 'image']],
  ['data[a.b]', ['data', 'a.b']],
  ['metadata.annotations[x/y]', ['metadata', 'annotations', 'x/y']],
])('%s is a path', (field, wanted) => {
  expect(parseFieldPath(field, { spec: { containers: [{ name: 'a' }, { name: 'b' }] }, data: {} })).toEqual(wanted)
})

describe('lines of YAML', () => {
  const tricky = {
    plain: 'text',
    colon: 'a: b',
    number: '12',
    bool: 'yes',
    empty: '',
    list: [],
    map: {},
    nested: [[1, 2], { a: { b: [true, null] } }],
    lines: 'one\ntwo\n',
    open: 'one\ntwo',
    'odd: key': '#x',
    control: 'a\u0007b',
    html: '<script>alert(1)</script>',
  }

  it('say what the object says', () => {
    const written = yamlLines(tricky).map(lineText).join('\n')
    expect(parseYaml(written).object).toEqual(tricky)
  })

  it('agree with the text that is edited', () => {
    expect(parseYaml(toYaml(tricky)).object).toEqual(tricky)
  })

  it('have the path of each field', () => {
    const paths = yamlLines({ a: [{ b: 1, c: 2 }] }).map((line) => `${lineText(line)} @ ${line.path.join('.')}`)
    expect(paths).toEqual(['a: @ a', '- b: 1 @ a.0.b', '  c: 2 @ a.0.c'])
  })
})

it('an edit has nothing that the server alone sets', () => {
  const object = {
    metadata: { name: 'a', uid: 'u', managedFields: [], labels: {} },
    apiVersion: 'v1',
    kind: 'X',
    spec: 1,
    status: 2,
  }
  expect(editable(object)).toEqual({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a', labels: {} }, spec: 1 })
})

it.each([
  ['a: [1', 0],
  ['a: 1\nb: "x', 1],
  ['- 1', 0],
])('says where “%s” cannot be read', (wrong, line) => {
  expect(parseYaml(wrong).error?.line).toBeGreaterThanOrEqual(line)
})

it('refuses a text whose aliases would fill the memory', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`),
  ].join('\n')
  expect(parseYaml(bomb).error).toBeDefined()
})
