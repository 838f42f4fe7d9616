/** Holds what src says against facts/: what is made from them byte by byte, and the tables that code or words are part of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/api/json.ts'
import type { KubeObject } from '../../../src/api/object.ts'
import { servedMajor, servedMinor } from '../../../src/api/release.ts'
import { bootstrapPolicy } from '../../../src/auth/rbac/bootstrap-policy.ts'
import { resolveFeatureGates } from '../../../src/config/feature-gates.ts'
import { flagDefinitions } from '../../../src/config/flags.ts'
import { flowControlObjects } from '../../../src/controllers/bootstrap/flow-control.ts'
import { kindsWithTables, tableOfKind } from '../../../src/resources/columns/tables.ts'
import { declaredRules } from '../../../src/resources/declared-rules.ts'
import { metricDefinitions } from '../../../src/telemetry/metrics/definitions.ts'

const root = resolve(import.meta.dirname, '../../..')
const { catalogFiles, madeFolders } = (await import('../../../scripts/catalog.mjs' as string)) as {
  catalogFiles(): Map<string, string>
  madeFolders: readonly string[]
}
const { mirrorsIn, mirrorsOf } = (await import('../../../scripts/facts/mirrors.mjs' as string)) as {
  mirrorsIn(root: string): { file: string; folder: string; names: string[] }[]
  mirrorsOf(source: string): { folder: string; names: string[] }[]
}
const lines = (name: string): string[] =>
  readFileSync(join(root, 'facts', name), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
const json = (name: string) => JSON.parse(readFileSync(join(root, 'facts', name), 'utf8'))

describe('npm run catalog', () => {
  const made = catalogFiles()
  const differs = (file: string): boolean => readFileSync(join(root, file), 'utf8') !== made.get(file)

  it('makes what is there', () => {
    expect([...made.keys()].filter(differs)).toEqual([])
  })
  it('makes everything in its folders', () => {
    const there = madeFolders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    expect(there.filter((file) => !made.has(file))).toEqual([])
  })
})

describe('lines that say what a file mirrors', () => {
  it.each([
    ['/** Mirrors pkg/a: Do, doMore. */', 'pkg/a', ['Do', 'doMore']],
    [
      '/**\n * Mirrors k8s.io/apiserver/pkg/b: One,\n * Two and Three.Four, with its limits.\n */',
      'staging/src/k8s.io/apiserver/pkg/b',
      ['One', 'Two', 'Three.Four'],
    ],
    ['// Mirrors pkg/c: strategy.\nconst x = 1', 'pkg/c', ['strategy']],
    [
      '/** Mirrors apimachinery/pkg/d: Quantity keeps the digits. */',
      'staging/src/k8s.io/apimachinery/pkg/d',
      ['Quantity'],
    ],
  ])('%s', (source, folder, names) => {
    expect(mirrorsOf(source)).toEqual([{ folder, names }])
  })

  it.each(['/** Mirrors net/http: Client.do. */', '/** Mirrors pkg/e: the status of it. */', '/** Mirrors pkg/f. */'])(
    '%s is none',
    (source) => {
      expect(mirrorsOf(source)).toEqual([])
    },
  )

  it('every kind with rules of its own has them', () => {
    const files = new Set(mirrorsIn(root).map(({ file }) => file))
    const kinds = readFileSync(join(root, 'src/resources/kinds.ts'), 'utf8')
    const named = [...kinds.matchAll(/from '\.\/(kinds\/[^']+)'/g)].map(([, file]) => `src/resources/${file}`)
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((file) => !files.has(file))).toEqual([])
  })
})

it('the columns of tables are those of the reference', () => {
  const own = kindsWithTables.map((name) => {
    const slash = name.lastIndexOf('/')
    const columns = tableOfKind(name.slice(0, slash), name.slice(slash + 1))?.columns ?? []
    const texts = columns.map((column) =>
      [column.name, column.type, column.format ?? '', column.priority || ''].join('|').replace(/\|+$/, ''),
    )
    return [name, ...texts].join('\t')
  })
  // Handlers that no resource uses, and tables that are defined elsewhere.
  const unused = /^(storage\.k8s\.io\/CSIStorageCapacity)\t/
  const elsewhere = /^(apiregistration\.k8s\.io\/APIService|events\.k8s\.io\/Event)\t/
  expect(own.filter((line) => !elsewhere.test(line)).sort()).toEqual(
    lines('columns.txt')
      .filter((line) => !unused.test(line))
      .sort(),
  )
})

it('declared rules are those that the reference declares', () => {
  const wanted = lines('declared-validation.txt').flatMap((line) => {
    const [place = '', rule = ''] = line.split(' ')
    const [, name, value] = /^\+k8s:(\w+)(?:=(.*))?$/.exec(rule) ?? []
    // What may be left out is no rule.
    return name === 'optional' ? [] : [`${place} ${name}=${value}`]
  })
  const own = Object.entries(declaredRules('core.v1.ReplicationController') ?? {}).flatMap(([path, rules]) =>
    Object.entries(rules).flatMap(([name, value]) =>
      name === 'required' ? [] : [`${path.replace(/^spec/, 'core.v1.ReplicationControllerSpec')} ${name}=${value}`],
    ),
  )
  expect(own.sort()).toEqual(wanted.sort())
})

describe('what a server makes at its start', () => {
  const gates = resolveFeatureGates(new Map(), { major: servedMajor, minor: servedMinor })
  const policy = bootstrapPolicy((name) => gates.enabled(name))
  const facts = json('roles.json') as Record<keyof typeof policy, JsonObject[]>

  const row = ({ metadata, rules, aggregationRule, roleRef, subjects }: KubeObject): JsonObject => {
    const { ['kubernetes.io/bootstrapping']: _, ...labels } = metadata.labels ?? {}
    const made = {
      name: metadata.name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(aggregationRule !== undefined && { aggregationRule }),
      ...(Array.isArray(rules) && rules.length > 0 && { rules }),
      ...(roleRef !== undefined && { roleRef }),
      ...(subjects !== undefined && { subjects }),
    }
    return made as JsonObject
  }
  const byName = (rows: readonly JsonObject[]) =>
    new Map(rows.map((each) => [`${each['namespace'] ?? ''}/${each['name']}`, each]))

  it.each(Object.keys(facts) as (keyof typeof policy)[])('%s', (kind) => {
    expect(byName(policy[kind].map(row))).toEqual(byName(facts[kind]))
  })

  it('flow schemas and priority levels', () => {
    const { priorityLevels, flowSchemas } = json('flow-control.json') as Record<string, JsonObject[]>
    const specs = (kind: string) =>
      new Map(
        flowControlObjects(servedMinor)
          .filter(({ object }) => object['kind'] === kind)
          .map(({ object }) => [object.metadata?.name, object['spec']]),
      )
    const wanted = (rows: readonly JsonObject[] = []) => new Map(rows.map(({ name, spec }) => [name, spec]))
    expect(specs('PriorityLevelConfiguration')).toEqual(wanted(priorityLevels))
    expect(specs('FlowSchema')).toEqual(wanted(flowSchemas))
  })
})

describe('the flags', () => {
  /** Where the reference would not start without a value there is a default. */
  const defaultsOfOwn = new Set(['authorization-mode', 'cert-dir', 'service-cluster-ip-range'])
  const types: Readonly<Record<string, string>> = {
    colonSeparatedMultimapStringString: 'gates',
    float32: 'float',
    mapStringString: 'stringArray',
    stringToString: 'stringArray',
    namedCertKey: 'stringArray',
    quantity: 'string',
    portRange: 'string',
    Level: 'int',
    'pattern=N,...': 'string',
    'version[=true]': 'version',
  }
  const zeroes: Readonly<Record<string, string>> = { int: '0', version: 'false' }
  const own = flagDefinitions()

  it.each(lines('flags.txt').filter((line) => !line.startsWith('[')))('%s', (line) => {
    const [name = '', shown = '', ...rest] = line.split(' ')
    const flag = own.get(name)
    const type = name === 'runtime-config' ? 'pairs' : (types[shown] ?? shown)
    const fallback = rest.join(' ').replace(/^\[(.*)\]$/, '$1')
    const zero = shown === 'quantity' ? '0' : (zeroes[type] ?? '')
    const wanted = fallback === '-' ? zero : fallback
    expect(flag?.type).toBe(type)
    if (!defaultsOfOwn.has(name)) expect(flag?.defaultText).toBe(wanted)
  })
})

describe('the metrics', () => {
  const known = new Map(lines('metrics.txt').map((line) => [line.split(' ')[2], line]))
  /** A constant label, which upstream's list leaves out. */
  const constants: Readonly<Record<string, string>> = {
    apiserver_flowcontrol_priority_level_seat_utilization: 'phase,priority_level',
  }
  it.each(metricDefinitions().filter(({ name }) => known.has(name)))('$name', (definition) => {
    const { name, type, stability, deprecated } = definition
    const [level, kind, , labels, buckets, since] = known.get(name)?.split(' ') ?? []
    // Those show no stability, and collectors of their own no type.
    const isRatio = kind === 'timingratiohistogram'
    expect([
      type,
      stability,
      [...definition.labels].sort().join(',') || '-',
      definition.buckets?.join(',') || '-',
      deprecated,
    ]).toEqual([
      kind === 'custom' ? type : isRatio ? 'histogram' : kind,
      isRatio ? undefined : level,
      constants[name] ?? labels,
      buckets,
      since?.slice(1).replace(/\.0$/, ''),
    ])
  })
})
